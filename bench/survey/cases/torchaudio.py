"""Modules of torchaudio."""

import torch
import torchaudio
from registry import add, fn
from torchaudio import functional as F, models as M, transforms as T

W = lambda d, k: (d.n(1 + k, 800 + 200 * k),)
add("Spectrogram", lambda: T.Spectrogram(n_fft=64), W)
add("MelSpectrogram", lambda: T.MelSpectrogram(8000, n_fft=128, n_mels=8), W)
add("MFCC", lambda: T.MFCC(8000, 5, melkwargs={"n_fft": 128, "n_mels": 8}), W)
add("LFCC", lambda: T.LFCC(8000, n_filter=8, n_lfcc=5, speckwargs={"n_fft": 128}), W)
add("AmplitudeToDB", lambda: T.AmplitudeToDB(), lambda d, k: (d.u(1 + k, 8, 10),))
add("InverseSpectrogram", lambda: T.InverseSpectrogram(n_fft=16), lambda d, k: (torch.complex(d.n(1 + k, 9, 10), d.n(1 + k, 9, 10)),))
add("GriffinLim", lambda: T.GriffinLim(n_fft=16, n_iter=3, rand_init=False), lambda d, k: (d.u(1 + k, 9, 10),))
add("Resample", lambda: T.Resample(8000, 6000), W)
add("ComputeDeltas", lambda: T.ComputeDeltas(), lambda d, k: (d.u(1 + k, 8, 10),))
add("Fade", lambda: T.Fade(10, 10), W)
add("TimeStretch", lambda: T.TimeStretch(n_freq=9, fixed_rate=1.2), lambda d, k: (torch.complex(d.n(1 + k, 9, 10), d.n(1 + k, 9, 10)),))
add("FrequencyMasking", lambda: T.FrequencyMasking(3), lambda d, k: (d.u(1 + k, 8, 10),))
add("Vol", lambda: T.Vol(0.5), W)
add("SpectralCentroid", lambda: T.SpectralCentroid(8000, n_fft=64), W)
add("PitchShift", lambda: T.PitchShift(8000, 2, n_fft=64), W)
add("SlidingWindowCmn", lambda: T.SlidingWindowCmn(cmn_window=6), lambda d, k: (d.u(1 + k, 12, 5),))
add("MuLawEncoding", lambda: T.MuLawEncoding(), W)
add("Convolve", lambda: T.Convolve(), lambda d, k: (d.n(1 + k, 50), d.n(1 + k, 9)))
add("PSD MVDR", lambda: T.PSD(), lambda d, k: (torch.complex(d.n(1 + k, 2, 5, 7), d.n(1 + k, 2, 5, 7)),))
add("Preemphasis", lambda: T.Preemphasis(), W)
add("detect_pitch", fn(F.detect_pitch_frequency, 8000), W)
add("lfilter", fn(F.lfilter, torch.tensor([1.0, 0.2, 0.1]), torch.tensor([0.5, 0.3, 0.1])), W)
add("highpass_biquad", fn(F.highpass_biquad, 8000, 500.0), W)
add("phaser", fn(F.phaser, 8000), W)
add(
    "compliance fbank",
    fn(torchaudio.compliance.kaldi.fbank, num_mel_bins=8, sample_frequency=8000.0),
    lambda d, k: (d.n(1, 800 + 200 * k),),
)
add("Conformer", lambda: M.Conformer(8, 2, 16, 1, 3), lambda d, k: (d.n(1 + k, 10, 8), torch.tensor([10] * (1 + k))))
add("ConvTasNet", lambda: M.ConvTasNet(2, 8, 8, 3, 8, 8, 2, 1), lambda d, k: (d.n(1 + k, 1, 160),))
add("DeepSpeech", lambda: M.DeepSpeech(8, n_hidden=16, n_class=5), lambda d, k: (d.n(1 + k, 1, 10, 8),))
add("Emformer", lambda: M.Emformer(8, 2, 16, 1, 4, right_context_length=1), lambda d, k: (d.n(1 + k, 9, 8), torch.tensor([9] * (1 + k))))
add("Wav2Letter", lambda: M.Wav2Letter(5, "waveform", 1), lambda d, k: (d.n(1 + k, 1, 2000),))
add(
    "WaveRNN",
    lambda: M.WaveRNN([2, 2], 5, 4, n_res_block=1, n_rnn=8, n_fc=8, kernel_size=3, n_freq=8, n_hidden=8, n_output=8),
    lambda d, k: (d.n(1 + k, 1, 16), d.n(1 + k, 1, 8, 6)),
)
add(
    "Wav2Vec2",
    lambda: M.wav2vec2_model("group_norm", [(8, 10, 5), (8, 3, 2)], False, 16, 0.1, 3, 2, 1, 2, 0.1, 32, 0.1, 0.1, False, 0.1, 5),
    lambda d, k: (d.n(1 + k, 400 + 80 * k),),
)
add("HDemucs", lambda: M.HDemucs(["a", "b"], audio_channels=1, channels=4, depth=3, nfft=256), lambda d, k: (d.n(1, 1, 4096),))
add("SquimObjective", lambda: M.squim_objective_base(), lambda d, k: (d.n(1, 1600),)) if False else None
add(
    "RNNT",
    lambda: M.emformer_rnnt_base(10),
    lambda d, k: (d.n(1, 40, 80), torch.tensor([40]), d.i(9, 1, 5), torch.tensor([5], dtype=torch.int32)),
) if False else None
