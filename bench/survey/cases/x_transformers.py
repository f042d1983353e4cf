"""Modules of x-transformers."""

from registry import add, img, seq, tok
from torch import nn
from x_transformers import (
    AutoregressiveWrapper,
    ContinuousTransformerWrapper,
    CrossAttender,
    Decoder,
    Encoder,
    FeedForward,
    RMSNorm,
    TransformerWrapper,
    ViTransformerWrapper,
    XTransformer,
)

D = {"dim": 32, "depth": 2, "heads": 2, "attn_dim_head": 16}


def tr(kind, wrapper=TransformerWrapper, **kw):
    wkw = {
        k: kw.pop(k)
        for k in list(kw)
        if k
        in ("use_abs_pos_emb", "emb_dropout", "num_memory_tokens", "tie_embedding", "scaled_sinu_pos_emb", "post_emb_norm", "l2norm_embed")
    }
    return lambda: wrapper(num_tokens=20, max_seq_len=32, attn_layers=kind(**D, **kw), **wkw)


add("Decoder", tr(Decoder), tok(20))
add("Encoder", tr(Encoder), tok(20))
for o in [
    "rotary_pos_emb",
    "alibi_pos_bias",
    "rel_pos_bias",
    "dynamic_pos_bias",
    "use_rmsnorm",
    "use_scalenorm",
    "ff_glu",
    "ff_relu_squared",
    "ff_swish",
    "attn_qk_norm",
    "gate_residual",
    "sandwich_norm",
    "macaron",
    "residual_attn",
    "attn_talking_heads",
    "attn_gate_values",
    "shift_tokens",
    "attn_one_kv_head",
    "attn_flash",
    "pre_norm_off",
    "attn_sparse_topk",
]:
    kw = (
        {"shift_tokens": 1}
        if o == "shift_tokens"
        else {"pre_norm": False}
        if o == "pre_norm_off"
        else {"attn_sparse_topk": 4}
        if o == "attn_sparse_topk"
        else {"ff_swish": True, "ff_glu": True}
        if o == "ff_swish"
        else {o: True}
    )
    if o == "alibi_pos_bias":
        kw["alibi_num_heads"] = 1
    if o == "attn_talking_heads":
        kw = {"attn_pre_talking_heads": True}
    add("Decoder " + o, tr(Decoder, **kw), tok(20))
add("Encoder memory tokens", tr(Encoder, num_memory_tokens=3), tok(20))
add("Decoder tied sinu", tr(Decoder, tie_embedding=True, scaled_sinu_pos_emb=True), tok(20))
add("ContinuousTransformer", lambda: ContinuousTransformerWrapper(dim_in=8, dim_out=5, max_seq_len=32, attn_layers=Encoder(**D)), seq(8))
add(
    "ViT", lambda: ViTransformerWrapper(image_size=32, patch_size=8, num_classes=5, attn_layers=Encoder(**D)), img(sizes=((2, 32), (3, 32)))
)
add("CrossAttender", lambda: CrossAttender(**D), lambda d, k: (d.n(2 + k, 5 + k, 32), d.n(2 + k, 7, 32)))
add("AutoregressiveWrapper", lambda: AutoregressiveWrapper(tr(Decoder)()), tok(20))
add(
    "XTransformer",
    lambda: XTransformer(
        dim=32,
        enc_num_tokens=20,
        enc_depth=1,
        enc_heads=2,
        enc_max_seq_len=32,
        dec_num_tokens=20,
        dec_depth=1,
        dec_heads=2,
        dec_max_seq_len=32,
    ),
    lambda d, k: (d.i(20, 2 + k, 6 + k), d.i(20, 2 + k, 9 + k)),
)
add("FeedForward", lambda: FeedForward(16, mult=2, glu=True), seq(16))
add("RMSNorm", lambda: RMSNorm(16), seq(16))


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.t = tr(Encoder)()

    def forward(self, x, mask):
        return self.t(x, mask=mask)


add("Encoder mask", Masked, lambda d, k: (d.i(20, 2 + k, 8), d.b(2 + k, 8)))
