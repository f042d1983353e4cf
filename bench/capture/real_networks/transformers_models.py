"""The networks of transformers, in small random configurations."""

from __future__ import annotations

from typing import Any

from .registry import Inputs, images, network, tokens

# Their forward methods are decorated and take **kwargs.
DECORATED = "cannot record the *args and **kwargs of"
SMALL = {
    "vocab_size": 40,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
}


def model(kind: str, config: str, inputs: Inputs, short: bool = False, title: str = "", ulps: int = 2, **options: Any) -> None:
    def make() -> Any:
        import transformers

        given = getattr(transformers, config)(**options)
        given.use_cache = False
        return getattr(transformers, kind)(given)

    network(title or kind, "transformers", inputs, short, ulps, symbolic_trace=DECORATED)(make)


model("BertModel", "BertConfig", tokens(), short=True, title="BERT", **SMALL)
model(
    "GPT2LMHeadModel",
    "GPT2Config",
    tokens(),
    short=True,
    title="GPT-2",
    vocab_size=40,
    n_embd=32,
    n_layer=2,
    n_head=2,
    n_positions=64,
    bos_token_id=0,
    eos_token_id=0,
)
model("LlamaForCausalLM", "LlamaConfig", tokens(), short=True, title="Llama", num_key_value_heads=1, **SMALL)
model(
    "ViTModel",
    "ViTConfig",
    images(),
    short=True,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=48,
    image_size=32,
    patch_size=8,
)


@network(
    "Whisper",
    "transformers",
    lambda draw, n: (draw.normal(n, 8, 40), draw.integers(40, n, 6)),
    short=True,
    symbolic_trace="inputs to control flow",
)
def whisper() -> Any:
    from torch import nn
    from transformers import WhisperConfig, WhisperModel

    class Whisper(nn.Module):
        """With its second argument in the second place."""

        def __init__(self):
            super().__init__()
            config = WhisperConfig(
                vocab_size=40, num_mel_bins=8, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2, d_model=32,
                encoder_ffn_dim=48, decoder_ffn_dim=48, max_source_positions=20, max_target_positions=16, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                decoder_start_token_id=1, use_cache=False,
            )  # fmt: skip
            self.model = WhisperModel(config)

        def forward(self, features, ids):
            found = self.model(features, decoder_input_ids=ids)
            return found.last_hidden_state, found.encoder_last_hidden_state

    return Whisper()


model(
    "Wav2Vec2Model", "Wav2Vec2Config", lambda draw, n: (draw.normal(n, 1600),), title="speech encoder (Wav2Vec2)", ulps=16,  # of the norms of weights, which weight_norm takes
    vocab_size=20, hidden_size=32,
    num_hidden_layers=2, num_attention_heads=2, intermediate_size=48, conv_dim=(16, 16), conv_stride=(5, 2), conv_kernel=(10, 3), num_conv_pos_embeddings=8,
    num_conv_pos_embedding_groups=2,
)  # fmt: skip
model("RobertaModel", "RobertaConfig", tokens(), **SMALL)
model(
    "DistilBertModel", "DistilBertConfig", tokens(), vocab_size=40, dim=32, n_layers=2, n_heads=2, hidden_dim=48, max_position_embeddings=64
)
model("AlbertModel", "AlbertConfig", tokens(), embedding_size=16, **SMALL)
model("ElectraModel", "ElectraConfig", tokens(), embedding_size=16, **SMALL)
model("MPNetModel", "MPNetConfig", tokens(), **SMALL)
model("GPTNeoXModel", "GPTNeoXConfig", tokens(), **SMALL)
model(
    "OPTModel",
    "OPTConfig",
    tokens(),
    vocab_size=40,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    ffn_dim=48,
    max_position_embeddings=64,
    word_embed_proj_dim=32,
)
model("MistralModel", "MistralConfig", tokens(), num_key_value_heads=1, **SMALL)
model("Qwen2Model", "Qwen2Config", tokens(), num_key_value_heads=1, **SMALL)
model("GemmaModel", "GemmaConfig", tokens(), num_key_value_heads=1, head_dim=16, **SMALL)
model("Phi3Model", "Phi3Config", tokens(), pad_token_id=0, **SMALL)
model("BloomModel", "BloomConfig", tokens(), vocab_size=40, hidden_size=32, n_layer=2, n_head=2)
model("T5EncoderModel", "T5Config", tokens(), vocab_size=40, d_model=32, d_kv=16, d_ff=48, num_layers=2, num_heads=2)
model("XLNetModel", "XLNetConfig", tokens(), vocab_size=40, d_model=32, n_layer=2, n_head=2, d_inner=48)
model("DebertaV2Model", "DebertaV2Config", tokens(), **SMALL)
model("MambaModel", "MambaConfig", tokens(), vocab_size=40, hidden_size=32, num_hidden_layers=2, state_size=4)
model("ConvNextModel", "ConvNextConfig", images(64), hidden_sizes=[16, 24, 32, 40], depths=[1, 1, 1, 1])
model("SegformerModel", "SegformerConfig", images(64), hidden_sizes=[16, 16, 24, 32], depths=[1, 1, 1, 1], num_attention_heads=[1, 1, 2, 2])
model("MobileNetV2Model", "MobileNetV2Config", images(64), depth_multiplier=0.35)
