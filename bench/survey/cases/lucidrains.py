"""Modules of small transformers: rotary-embedding-torch, local-attention, vector-quantize-pytorch and others."""

from registry import add, img, of, seq, tok, vec

add("rotary", lambda: _Rot(), lambda d, k: (d.n(2 + k, 2, 8 + k, 16),))
from torch import nn


class _Rot(nn.Module):
    def __init__(self):
        super().__init__()
        from rotary_embedding_torch import RotaryEmbedding

        self.r = RotaryEmbedding(dim=8)

    def forward(self, q):
        return self.r.rotate_queries_or_keys(q)


class _RotXpos(nn.Module):
    def __init__(self):
        super().__init__()
        from rotary_embedding_torch import RotaryEmbedding

        self.r = RotaryEmbedding(dim=8, use_xpos=True)

    def forward(self, q):
        return self.r.rotate_queries_and_keys(q, q * 2)


add("rotary xpos", lambda: _RotXpos(), lambda d, k: (d.n(2 + k, 2, 8 + k, 16),))
add(
    "local LocalAttention",
    of("local_attention", "LocalAttention", dim=16, window_size=4, causal=True),
    lambda d, k: (d.n(2 + k, 2, 8 + 4 * k, 16),) * 3,
)
add(
    "local LocalTransformer",
    of(
        "local_attention", "LocalTransformer", num_tokens=20, max_seq_len=32, dim=16, depth=1, heads=2, dim_head=8, local_attn_window_size=4
    ),
    tok(20),
)
add(
    "perceiver Perceiver",
    of(
        "perceiver_pytorch",
        "Perceiver",
        input_channels=3,
        input_axis=2,
        num_freq_bands=2,
        max_freq=4.0,
        depth=1,
        num_latents=8,
        latent_dim=16,
        cross_heads=1,
        latent_heads=2,
        cross_dim_head=8,
        latent_dim_head=8,
        num_classes=5,
        weight_tie_layers=True,
    ),
    lambda d, k: (d.n(2 + k, 8, 8 + k, 3),),
)
add(
    "perceiver PerceiverIO",
    lambda: __import__("perceiver_pytorch").PerceiverIO(
        dim=8,
        queries_dim=8,
        logits_dim=5,
        depth=1,
        num_latents=6,
        latent_dim=16,
        cross_heads=1,
        latent_heads=2,
        cross_dim_head=8,
        latent_dim_head=8,
    ),
    lambda d, k: (d.n(2 + k, 9, 8), None, d.n(5 + k, 8)),
)
add("performer Performer", of("performer_pytorch", "Performer", dim=16, depth=1, heads=2, dim_head=8, nb_features=6), seq(16))
add(
    "performer PerformerLM",
    of("performer_pytorch", "PerformerLM", num_tokens=20, max_seq_len=32, dim=16, depth=1, heads=2, dim_head=8, nb_features=6),
    tok(20),
)
add(
    "axial AxialAttention",
    of("axial_attention", "AxialAttention", dim=8, dim_index=1, heads=2, num_dimensions=2),
    lambda d, k: (d.n(2 + k, 8, 5, 6 + k),),
)
add(
    "axial AxialPositionalEmbedding",
    of("axial_attention", "AxialPositionalEmbedding", dim=8, shape=(8, 8)),
    lambda d, k: (d.n(2 + k, 8, 8, 8),),
)
add("linformer Linformer", of("linformer", "Linformer", dim=16, seq_len=8, depth=1, heads=2, k=4), seq(16, ((2, 8), (3, 8))))
add(
    "linformer LinformerLM",
    of("linformer", "LinformerLM", num_tokens=20, dim=16, seq_len=8, depth=1, heads=2, k=4),
    tok(20, ((2, 8), (3, 8))),
)
add(
    "reformer LSHSelfAttention",
    of("reformer_pytorch", "LSHSelfAttention", dim=16, heads=2, bucket_size=4, n_hashes=2),
    seq(16, ((2, 16), (3, 24))),
)
add(
    "reformer ReformerLM",
    of("reformer_pytorch", "ReformerLM", num_tokens=20, dim=16, depth=1, max_seq_len=16, heads=2, bucket_size=4, n_hashes=2, causal=True),
    tok(20, ((2, 16), (3, 16))),
)
add("pkm PKM", of("product_key_memory", "PKM", dim=16, heads=2, num_keys=8, topk=4), seq(16))
V = "vector_quantize_pytorch"
add("vq VectorQuantize", of(V, "VectorQuantize", dim=8, codebook_size=16), seq(8))
add("vq VectorQuantize cosine", of(V, "VectorQuantize", dim=8, codebook_size=16, use_cosine_sim=True), seq(8))
add("vq ResidualVQ", of(V, "ResidualVQ", dim=8, codebook_size=16, num_quantizers=3), seq(8))
add("vq GroupedResidualVQ", of(V, "GroupedResidualVQ", dim=8, codebook_size=16, num_quantizers=2, groups=2), seq(8))
add("vq FSQ", of(V, "FSQ", [8, 5, 5]), seq(3))
add("vq ResidualFSQ", of(V, "ResidualFSQ", dim=8, levels=[8, 5, 5], num_quantizers=2), seq(8))
add("vq LFQ", of(V, "LFQ", codebook_size=16, dim=8), seq(8))
add("vq SimVQ", of(V, "SimVQ", dim=8, codebook_size=16), seq(8))
add("vq RandomProjectionQuantizer", of(V, "RandomProjectionQuantizer", dim=8, num_codebooks=2, codebook_dim=4, codebook_size=16), seq(8))
add("vq LatentQuantize", of(V, "LatentQuantize", levels=[5, 5, 8], dim=8), seq(8))
add(
    "ddpm Unet",
    of("denoising_diffusion_pytorch", "Unet", dim=8, dim_mults=(1, 2), channels=3, flash_attn=False),
    lambda d, k: (d.n(2 + k, 3, 16, 16 + 4 * k), d.i(100, 2 + k)),
)
add(
    "ddpm Unet1D",
    of("denoising_diffusion_pytorch", "Unet1D", dim=8, dim_mults=(1, 2), channels=3),
    lambda d, k: (d.n(2 + k, 3, 16 + 4 * k), d.i(100, 2 + k)),
)
add(
    "ddpm Diffusion1D loss",
    lambda: __import__("denoising_diffusion_pytorch").GaussianDiffusion1D(
        __import__("denoising_diffusion_pytorch").Unet1D(dim=8, dim_mults=(1, 2), channels=3), seq_length=16, timesteps=20
    ),
    lambda d, k: (d.n(2 + k, 3, 16),),
)
add(
    "ddpm Diffusion loss",
    lambda: __import__("denoising_diffusion_pytorch").GaussianDiffusion(
        __import__("denoising_diffusion_pytorch").Unet(dim=8, dim_mults=(1, 2), flash_attn=False), image_size=16, timesteps=20
    ),
    lambda d, k: (d.u(2 + k, 3, 16, 16),),
)
add(
    "colt5 attention",
    of("colt5_attention", "ConditionalRoutedFeedForward", 16, light_ff_mult=1, heavy_ff_mult=2, num_heavy_tokens=4),
    seq(16, ((2, 8), (3, 8))),
)
add("gmlp gMLP", of("g_mlp_pytorch", "gMLP", num_tokens=20, dim=16, depth=2, seq_len=8), tok(20, ((2, 8), (3, 8))))
add(
    "gmlp gMLPVision",
    of("g_mlp_pytorch", "gMLPVision", image_size=16, patch_size=8, num_classes=5, dim=16, depth=1),
    img(sizes=((2, 16), (3, 16))),
)
add(
    "mlpmixer MLPMixer",
    of("mlp_mixer_pytorch", "MLPMixer", image_size=16, channels=3, patch_size=8, dim=16, depth=1, num_classes=5),
    img(sizes=((2, 16), (3, 16))),
)
add("siren SirenNet", of("siren_pytorch", "SirenNet", dim_in=2, dim_hidden=16, dim_out=3, num_layers=2, w0_initial=30.0), vec(2))
add("egnn EGNN", of("egnn_pytorch", "EGNN", dim=8, m_dim=8), lambda d, k: (d.n(2 + k, 6 + k, 8), d.n(2 + k, 6 + k, 3)))
add(
    "egnn EGNN_Network",
    of("egnn_pytorch", "EGNN_Network", num_tokens=10, num_positions=16, dim=8, depth=1, num_nearest_neighbors=3),
    lambda d, k: (d.i(10, 2 + k, 8), d.n(2 + k, 8, 3)),
)
add("conformer ConformerBlock", of("conformer", "ConformerBlock", dim=16, dim_head=8, heads=2, conv_kernel_size=3), seq(16))
add("conformer Conformer", of("conformer", "Conformer", 16, depth=2, dim_head=8, heads=2, conv_kernel_size=3), seq(16))
add(
    "tab TabTransformer",
    of("tab_transformer_pytorch", "TabTransformer", categories=(4, 5), num_continuous=3, dim=8, dim_out=1, depth=1, heads=2),
    lambda d, k: (d.i(4, 3 + k, 2), d.n(3 + k, 3)),
)
add(
    "tab FTTransformer",
    of("tab_transformer_pytorch", "FTTransformer", categories=(4, 5), num_continuous=3, dim=8, dim_out=1, depth=1, heads=2),
    lambda d, k: (d.i(4, 3 + k, 2), d.n(3 + k, 3)),
)
add("ema EMA", lambda: __import__("ema_pytorch").EMA(nn.Linear(4, 3)), vec(4))
