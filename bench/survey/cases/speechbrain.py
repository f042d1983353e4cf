"""Modules of speechbrain."""

import torch
from registry import add, of, seq
from torch import nn

S = seq(16)


def m(path, cls, **kw):
    return of("speechbrain." + path, cls, **kw)


add("Linear", m("nnet.linear", "Linear", n_neurons=8, input_size=16), S)
add("Conv1d", m("nnet.CNN", "Conv1d", out_channels=8, kernel_size=3, in_channels=16), S)
add("Conv1d causal", m("nnet.CNN", "Conv1d", out_channels=8, kernel_size=3, in_channels=16, padding="causal"), S)
add("Conv2d", m("nnet.CNN", "Conv2d", out_channels=4, kernel_size=(3, 3), in_channels=2), lambda d, k: (d.n(2 + k, 8 + k, 10, 2),))
add(
    "SincConv", m("nnet.CNN", "SincConv", out_channels=4, kernel_size=11, input_shape=(None, 200)), lambda d, k: (d.n(2 + k, 200 + 40 * k),)
)
add("DepthwiseSeparableConv1d", m("nnet.CNN", "DepthwiseSeparableConv1d", out_channels=8, kernel_size=3, input_shape=(None, None, 16)), S)
add(
    "GaborConv1d", m("nnet.CNN", "GaborConv1d", out_channels=8, kernel_size=21, stride=2, in_channels=1), lambda d, k: (d.n(2 + k, 200, 1),)
)
for r in ("RNN", "LSTM", "GRU", "LiGRU", "QuasiRNN", "SLiGRU"):
    add(r, m("nnet.RNN", r, input_size=16, hidden_size=8), S)
add("LSTM bidirectional", m("nnet.RNN", "LSTM", input_size=16, hidden_size=8, bidirectional=True, num_layers=2), S)


class Len(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = m("nnet.RNN", "LSTM", input_size=16, hidden_size=8)()

    def forward(self, x, l):
        return self.m(x, lengths=l)


add("LSTM lengths", Len, lambda d, k: (d.n(3 + k, 10, 16), torch.tensor([1.0, 0.5, 0.3, 0.9][: 3 + k])))
add(
    "AttentionalRNNDecoder",
    m(
        "nnet.RNN",
        "AttentionalRNNDecoder",
        rnn_type="gru",
        attn_type="content",
        hidden_size=8,
        attn_dim=8,
        num_layers=1,
        enc_dim=16,
        input_size=16,
    ),
    lambda d, k: (d.n(2 + k, 5 + k, 16), d.n(2 + k, 7, 16), torch.ones(2 + k)),
)
add("BatchNorm1d", m("nnet.normalization", "BatchNorm1d", input_size=16), S)
add("LayerNorm", m("nnet.normalization", "LayerNorm", input_size=16), S)
add("InstanceNorm1d", m("nnet.normalization", "InstanceNorm1d", input_size=16), S)
add("PCEN", m("nnet.normalization", "PCEN", input_size=16), lambda d, k: (d.u(2 + k, 16, 8 + k),))
add("Pooling1d", m("nnet.pooling", "Pooling1d", pool_type="max", kernel_size=3), S)
add("StatisticsPooling", m("nnet.pooling", "StatisticsPooling"), S)
add(
    "StatisticsPooling lengths",
    m("nnet.pooling", "StatisticsPooling"),
    lambda d, k: (d.n(3 + k, 10, 16), torch.tensor([1.0, 0.5, 0.3, 0.9][: 3 + k])),
)
add("GaussianLowpassPooling", m("nnet.pooling", "GaussianLowpassPooling", in_channels=16, kernel_size=5, stride=2), S)
add("Swish", m("nnet.activations", "Swish"), S)
add("Softmax", m("nnet.activations", "Softmax", apply_log=True), S)
add("MultiheadAttention", m("nnet.attention", "MultiheadAttention", nhead=2, d_model=16), lambda d, k: (x := d.n(2 + k, 7 + k, 16), x, x))
add(
    "RelPosMHAXL",
    m("nnet.attention", "RelPosMHAXL", embed_dim=16, num_heads=2),
    lambda d, k: (x := d.n(2 + k, 7 + k, 16), x, x, d.n(1, 2 * (7 + k) - 1, 16)),
)
add("PositionalwiseFeedForward", m("nnet.attention", "PositionalwiseFeedForward", d_ffn=32, input_size=16), S)
add(
    "ContentBasedAttention",
    m("nnet.attention", "ContentBasedAttention", enc_dim=16, dec_dim=8, attn_dim=4, output_dim=5),
    lambda d, k: (d.n(2 + k, 7, 16), torch.ones(2 + k).long() * 5, d.n(2 + k, 8)),
)
add("TransformerEncoder", m("lobes.models.transformer.Transformer", "TransformerEncoder", num_layers=2, nhead=2, d_ffn=32, d_model=16), S)
add(
    "TransformerDecoder",
    m("lobes.models.transformer.Transformer", "TransformerDecoder", num_layers=1, nhead=2, d_ffn=32, d_model=16),
    lambda d, k: (d.n(2 + k, 5, 16), d.n(2 + k, 7 + k, 16)),
)
add(
    "ConformerEncoderLayer",
    m("lobes.models.transformer.Conformer", "ConformerEncoderLayer", d_ffn=32, nhead=2, d_model=16, kernel_size=3),
    lambda d, k: (d.n(2 + k, 7 + k, 16), None, None, d.n(1, 2 * (7 + k) - 1, 16)),
)
add(
    "ConvolutionModule",
    m("lobes.models.transformer.Conformer", "ConvolutionModule", 16, 3)
    if False
    else (lambda: __import__("speechbrain.lobes.models.transformer.Conformer", fromlist=["x"]).ConvolutionModule(16, 3)),
    S,
)
add(
    "Branchformer layer",
    m(
        "lobes.models.transformer.Branchformer",
        "BranchformerEncoderLayer",
        nhead=2,
        d_model=16,
        kernel_size=3,
        csgu_linear_units=32,
        attention_type="regularMHA",
    ),
    S,
)
ECAPA = m(
    "lobes.models.ECAPA_TDNN",
    "ECAPA_TDNN",
    input_size=16,
    channels=[16, 16, 16, 16, 48],
    kernel_sizes=[5, 3, 3, 3, 1],
    dilations=[1, 2, 3, 4, 1],
    attention_channels=8,
    lin_neurons=8,
)
add("ECAPA", ECAPA, S)
add(
    "ECAPA lengths",
    ECAPA,
    lambda d, k: (d.n(3 + k, 20, 16), torch.tensor([1.0, 0.5, 0.3, 0.9][: 3 + k])),
)
add(
    "Xvector",
    m(
        "lobes.models.Xvector",
        "Xvector",
        device="cpu",
        tdnn_blocks=2,
        tdnn_channels=[8, 8],
        tdnn_kernel_sizes=[3, 1],
        tdnn_dilations=[1, 1],
        lin_neurons=8,
        in_channels=16,
    ),
    S,
)
add(
    "CRDNN",
    m(
        "lobes.models.CRDNN",
        "CRDNN",
        input_size=16,
        cnn_blocks=1,
        cnn_channels=[4],
        cnn_kernelsize=[3, 3],
        rnn_layers=1,
        rnn_neurons=8,
        dnn_blocks=1,
        dnn_neurons=8,
    ),
    S,
)
add("VanillaNN", m("lobes.models.VanillaNN", "VanillaNN", input_shape=(None, None, 16), dnn_neurons=8), S)
add(
    "ResNet spk",
    m("lobes.models.ResNet", "ResNet", input_size=16, channels=[8, 8, 8, 8], block_sizes=[1, 1, 1, 1], strides=[1, 2, 2, 2], lin_neurons=8),
    lambda d, k: (d.n(2 + k, 24, 16),),
)
add("dual path sepformer block", m("lobes.models.dual_path", "SBTransformerBlock", num_layers=1, d_model=16, nhead=2, d_ffn=16), S)
add("dual path Encoder", m("lobes.models.dual_path", "Encoder", kernel_size=4, out_channels=8), lambda d, k: (d.n(2 + k, 64),))
add(
    "ConvTasNet MaskNet",
    m("lobes.models.conv_tasnet", "MaskNet", N=8, B=8, H=8, P=3, X=2, R=1, C=2, norm_type="gLN", causal=False, mask_nonlinear="relu"),
    lambda d, k: (d.n(2 + k, 20, 8),),
)
add(
    "STFT",
    m("processing.features", "STFT", sample_rate=16000, n_fft=64, win_length=2, hop_length=1),
    lambda d, k: (d.n(2 + k, 300 + 100 * k),),
)
add("Filterbank", m("processing.features", "Filterbank", n_fft=64, n_mels=8), lambda d, k: (d.u(2 + k, 10 + k, 33),))
add("DCT", m("processing.features", "DCT", input_size=16, n_out=8), S)
add("Deltas", m("processing.features", "Deltas", input_size=16), S)
add("ContextWindow", m("processing.features", "ContextWindow", left_frames=2, right_frames=2), S)
add("Fbank", m("lobes.features", "Fbank", sample_rate=16000, n_fft=400, n_mels=8), lambda d, k: (d.n(2 + k, 1600 + 400 * k),))
add("MFCC", m("lobes.features", "MFCC", sample_rate=16000, n_fft=400, n_mels=10, n_mfcc=5), lambda d, k: (d.n(2 + k, 1600 + 400 * k),))
add(
    "InputNormalization",
    m("processing.features", "InputNormalization", norm_type="sentence"),
    lambda d, k: (d.n(2 + k, 10, 16), torch.ones(2 + k)),
)
add(
    "HifiganGenerator",
    m(
        "lobes.models.HifiGAN",
        "HifiganGenerator",
        in_channels=8,
        out_channels=1,
        resblock_type="1",
        resblock_dilation_sizes=[[1, 3, 5]],
        resblock_kernel_sizes=[3],
        upsample_kernel_sizes=[4, 4],
        upsample_initial_channel=16,
        upsample_factors=[2, 2],
    ),
    lambda d, k: (d.n(2 + k, 8, 10 + k),),
)
