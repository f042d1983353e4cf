"""Modules of asteroid-filterbanks, demucs, encodec, julius, mambapy, openunmix and pytorch-tcn."""

import torch
from registry import add, fn, img, of, seq

W = lambda d, k: (d.n(1 + k, 1, 320 + 64 * k),)


add("encodec SEANetEncoder", of("encodec.modules", "SEANetEncoder", n_filters=4, dimension=8, ratios=[4, 2]), W)
add(
    "encodec SEANetDecoder",
    of("encodec.modules", "SEANetDecoder", n_filters=4, dimension=8, ratios=[4, 2]),
    lambda d, k: (d.n(1 + k, 8, 10 + k),),
)
add("encodec SConv1d causal", of("encodec.modules", "SConv1d", 1, 4, 5, stride=2, causal=True, norm="weight_norm"), W)
add("encodec SConvTranspose1d", of("encodec.modules", "SConvTranspose1d", 1, 4, 4, stride=2, norm="time_group_norm"), W)
add("encodec SLSTM", of("encodec.modules", "SLSTM", 4), lambda d, k: (d.n(1 + k, 4, 9 + k),))
add("encodec StreamingTransformer", of("encodec.modules", "StreamingTransformerEncoder", dim=16, num_layers=1, num_heads=2), seq(16))
add(
    "encodec RVQ",
    lambda: __import__("encodec.quantization", fromlist=["x"]).ResidualVectorQuantizer(dimension=8, n_q=3, bins=16, kmeans_init=False),
    lambda d, k: (d.n(1 + k, 8, 9 + k), 50),
)
add(
    "encodec MSSTFTD",
    lambda: __import__("encodec.msstftd", fromlist=["x"]).MultiScaleSTFTDiscriminator(
        filters=4, n_ffts=[64, 32], hop_lengths=[16, 8], win_lengths=[64, 32]
    ),
    lambda d, k: (d.n(1 + k, 1, 400 + 64 * k),),
)
add(
    "demucs Demucs",
    of("demucs.demucs", "Demucs", ["a", "b"], channels=4, depth=3, lstm_layers=1, resample=False, audio_channels=1),
    lambda d, k: (d.n(1 + k, 1, 1024 + 256 * k),),
)
add(
    "demucs Demucs resample",
    of("demucs.demucs", "Demucs", ["a", "b"], channels=4, depth=2, resample=True, dconv_mode=0, audio_channels=1),
    lambda d, k: (d.n(1 + k, 1, 1024 + 256 * k),),
)
add(
    "demucs HDemucs",
    of("demucs.hdemucs", "HDemucs", ["a", "b"], channels=4, depth=3, nfft=256, audio_channels=1, dconv_mode=1),
    lambda d, k: (d.n(1, 1, 4096 + 1024 * k),),
)
add("demucs DConv", of("demucs.demucs", "DConv", 8, lstm=True, attn=True), lambda d, k: (d.n(1 + k, 8, 20 + k),))
add("demucs LocalState", of("demucs.demucs", "LocalState", 8), lambda d, k: (d.n(1 + k, 8, 20 + k),))
add("demucs BLSTM", of("demucs.demucs", "BLSTM", 8, skip=True, max_steps=10), lambda d, k: (d.n(1 + k, 8, 24 + k),))
add(
    "demucs CrossTransformer",
    of("demucs.transformer", "CrossTransformerEncoder", dim=16, num_layers=2, num_heads=2, emb="sin"),
    lambda d, k: (d.n(1 + k, 16, 4, 5), d.n(1 + k, 16, 9 + k)),
)
add(
    "demucs wiener",
    lambda: fn(__import__("demucs.wiener", fromlist=["x"]).wiener, iterations=1)(),
    lambda d, k: (d.u(6 + k, 5, 2, 2), torch.complex(d.n(6 + k, 5, 2), d.n(6 + k, 5, 2))),
)
add("julius ResampleFrac", of("julius", "ResampleFrac", 4, 3), W)
add("julius LowPassFilter", of("julius", "LowPassFilter", 0.2), W)
add("julius HighPass", of("julius", "HighPassFilter", 0.2), W)
add("julius SplitBands", of("julius", "SplitBands", 100, 3), W)
add("julius FFTConv1d", of("julius", "FFTConv1d", 1, 2, 64), W)
add(
    "umx OpenUnmix",
    of("openunmix.model", "OpenUnmix", nb_bins=17, nb_channels=1, hidden_size=8, nb_layers=1),
    lambda d, k: (d.u(1 + k, 1, 17, 9 + k),),
)
add("umx STFT", lambda: __import__("openunmix.transforms", fromlist=["x"]).make_filterbanks(n_fft=64, n_hop=16)[0], W)
add(
    "umx wiener",
    lambda: fn(__import__("openunmix.filtering", fromlist=["x"]).wiener, 1)(),
    lambda d, k: (d.u(6 + k, 5, 2, 2), d.n(6 + k, 5, 2, 2)),
)
FB = "asteroid_filterbanks"
for n in ("FreeFB", "AnalyticFreeFB", "ParamSincFB", "STFTFB"):
    add(
        "asteroid " + n,
        (
            lambda n: (
                lambda: (lambda a: a.Encoder(getattr(a, n)(n_filters=16, kernel_size=16 if n != "ParamSincFB" else 17, stride=8)))(
                    __import__(FB)
                )
            )
        )(n),
        W,
    )
add("asteroid Decoder", lambda: (lambda a: a.Decoder(a.FreeFB(16, 16, stride=8)))(__import__(FB)), lambda d, k: (d.n(1 + k, 16, 10 + k),))
add("asteroid MelGram", lambda: (lambda a: a.Encoder(a.MelGramFB(64, 64, stride=16, sample_rate=8000, n_mels=8)))(__import__(FB)), W)
add("asteroid gammatone", lambda: (lambda a: a.Encoder(a.MultiphaseGammatoneFB(32, 16, sample_rate=8000, stride=8)))(__import__(FB)), W)
add(
    "asteroid PCEN",
    lambda: __import__("asteroid_filterbanks.pcen", fromlist=["x"]).PCEN(n_channels=1),
    lambda d, k: (d.u(1 + k, 1, 6, 9 + k),),
)
add("wavelets DWT", lambda: __import__("pytorch_wavelets").DWTForward(J=1, wave="haar"), img(1, ((1, 16), (2, 24))))
add("tcn TCN", of("pytorch_tcn", "TCN", 4, [8, 8], kernel_size=3), lambda d, k: (d.n(1 + k, 4, 12 + k),))
add(
    "tcn TCN weight_norm gated",
    of("pytorch_tcn", "TCN", 4, [8, 8], kernel_size=3, use_norm="weight_norm", use_gate=True, use_skip_connections=True),
    lambda d, k: (d.n(1 + k, 4, 12 + k),),
)
add(
    "mambapy Mamba",
    lambda: (lambda M: M.Mamba(M.MambaConfig(d_model=8, n_layers=1, d_state=4, expand_factor=2)))(
        __import__("mambapy.mamba", fromlist=["x"])
    ),
    seq(8),
)
add(
    "mambapy Mamba sequential",
    lambda: (lambda M: M.Mamba(M.MambaConfig(d_model=8, n_layers=1, d_state=4, expand_factor=2, pscan=False)))(
        __import__("mambapy.mamba", fromlist=["x"])
    ),
    seq(8),
)
