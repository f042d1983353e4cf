"""torch.fft, stft and istft. NumPy is the measure where it has the function; tests/data/ops and test_op_db.py compare with PyTorch."""

from __future__ import annotations

import monograph as torch
import numpy as np
import pytest
from monograph.autograd import gradcheck, gradgradcheck

fft = torch.fft


def drawn(*shape, dtype=torch.complex128, seed=0):
    generator = np.random.default_rng(seed)
    x = generator.standard_normal(shape)
    if dtype.is_complex:
        x = x + 1j * generator.standard_normal(shape)
    return torch.from_numpy(np.asarray(x)).to(dtype)


SIZES = [
    *range(1, 66),
    81,
    96,
    97,
    100,
    121,
    125,
    127,
    128,
    134,
    169,
    210,
    243,
    251,
    256,
    257,
    289,
    343,
    360,
    509,
    512,
    1000,
    1021,
    1024,
    2039,
    4096,
    5005,
]


@pytest.mark.parametrize("dtype, bound", [(torch.complex128, 1e-14), (torch.complex64, 1e-6)])
def test_every_size(dtype, bound):
    for n in SIZES:
        z = drawn(3, n, dtype=dtype, seed=n)
        exact = np.fft.fft(z.to(torch.complex128).numpy())
        assert np.abs(fft.fft(z).numpy() - exact).max() <= bound * np.abs(exact).max(), n
        assert np.abs(fft.ifft(fft.fft(z)).numpy() - z.numpy()).max() <= 4 * bound * np.abs(z.numpy()).max() * np.log2(n + 2), n
        x = drawn(3, n, dtype=torch.float64 if dtype == torch.complex128 else torch.float32, seed=n)
        exact = np.fft.rfft(x.to(torch.float64).numpy())
        half = fft.rfft(x)
        assert half.shape == exact.shape and np.abs(half.numpy() - exact).max() <= bound * np.abs(exact).max(), n
        back = fft.irfft(half, n=n)
        assert back.shape == x.shape and np.abs(back.numpy() - x.numpy()).max() <= 4 * bound * np.abs(x.numpy()).max() * np.log2(n + 2), n


def test_lines_beside_each_other_change_no_bits():
    z = drawn(37, 60, dtype=torch.complex64)
    whole = fft.fft(z)
    assert all(torch.equal(fft.fft(z[k]), whole[k]) for k in range(37))
    assert torch.equal(fft.fft(z.t().contiguous(), dim=0), whole.t())
    assert torch.equal(fft.fft(z[::2, :]), whole[::2]) and torch.equal(fft.fft(z.flip(0)).flip(0), whole)


def test_threads_change_no_bits():
    z, before = drawn(300, 400, dtype=torch.complex64), torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one = fft.fftn(z)
        torch.set_num_threads(3)
        assert torch.equal(fft.fftn(z), one)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
def test_against_numpy(norm):
    z, x = drawn(3, 4, 5), drawn(3, 4, 5, dtype=torch.float64)
    for name in ("fft", "ifft", "hfft"):
        for n, dim in ((None, -1), (7, 0), (2, 1)):
            expected = getattr(np.fft, name)(z.numpy(), n, dim, norm or "backward")
            assert np.allclose(getattr(fft, name)(z, n, dim, norm).numpy(), expected)
    for name in ("fft", "ifft", "rfft", "ihfft"):
        for n, dim in ((None, -1), (7, 0), (2, 1)):
            assert np.allclose(getattr(fft, name)(x, n, dim, norm).numpy(), getattr(np.fft, name)(x.numpy(), n, dim, norm or "backward"))
    for name, given in (("fftn", z), ("ifftn", z), ("rfftn", x), ("irfftn", z), ("fft2", z), ("ifft2", z), ("rfft2", x), ("irfft2", z)):
        for s, dim in ((None, (-2, -1)), ((4, 6), (0, 2)), ((3, 3), (2, 1))):
            expected = getattr(np.fft, name)(given.numpy(), s, dim, norm or "backward")
            assert np.allclose(getattr(fft, name)(given, s, dim, norm).numpy(), expected), (name, s, dim)
    assert np.allclose(fft.fftn(z).numpy(), np.fft.fftn(z.numpy())) and np.allclose(
        fft.irfftn(z, s=(4, 7)).numpy(), np.fft.irfftn(z.numpy(), (4, 7), (1, 2))
    )


def test_hermitian_transforms():
    z, x = drawn(4, 5), drawn(4, 5, dtype=torch.float64)
    y = fft.hfftn(z, s=(4, 8))
    assert y.shape == (4, 8) and not y.is_complex()
    assert torch.allclose(y, fft.irfftn(z.conj().resolve_conj(), s=(4, 8), norm="forward"))
    assert torch.allclose(fft.ihfftn(x), fft.rfftn(x, norm="forward").conj())
    assert torch.allclose(fft.hfft2(fft.ihfft2(x), s=(4, 5)), x) and torch.allclose(fft.hfft(fft.ihfft(x), n=5), x)


def test_frequencies_and_shifts():
    for n in (1, 4, 5):
        assert np.allclose(fft.fftfreq(n, 0.5).numpy(), np.fft.fftfreq(n, 0.5)) and np.allclose(fft.rfftfreq(n).numpy(), np.fft.rfftfreq(n))
    assert fft.fftfreq(0).shape == (0,) and fft.fftfreq(3, dtype=torch.float64).dtype == torch.float64
    x = torch.arange(12).reshape(3, 4)
    assert np.array_equal(fft.fftshift(x).numpy(), np.fft.fftshift(x.numpy())) and np.array_equal(
        fft.ifftshift(x, dim=0).numpy(), np.fft.ifftshift(x.numpy(), 0)
    )
    assert fft.ifftshift(fft.fftshift(x)).equal(x)


def test_dtypes_layouts_and_out():
    x = torch.arange(6)
    assert (
        fft.fft(x).dtype == torch.complex64
        and fft.rfft(x.to(torch.float64)).dtype == torch.complex128
        and fft.irfft(x).dtype == torch.float32
    )
    z = drawn(4, 6)
    assert fft.fft(z, dim=0).stride() == (1, 4) and fft.fft(z).stride() == (6, 1)
    out = torch.empty(0, dtype=torch.complex128)
    assert fft.fft(z, out=out) is out and out.equal(fft.fft(z))
    real = torch.empty(4, 10, dtype=torch.float64)
    fft.irfft(z, out=real)
    assert real.equal(fft.irfft(z))
    assert fft.fftfreq(4, out=torch.empty(4, dtype=torch.float64)).dtype == torch.float64
    assert fft.fft(torch.empty(0, 4)).shape == (0, 4) and fft.fftn(torch.tensor(2.0)).item() == 2 and fft.fftn(z, dim=()).equal(z)


def test_errors():
    x, z = torch.ones(3, 4), torch.ones(3, 4, dtype=torch.complex64)
    for call, kind, words in (
        (lambda: fft.fft(x, n=0), RuntimeError, r"Invalid number of data points \(0\) specified"),
        (lambda: fft.fft(x, dim=3), IndexError, r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 3\)"),
        (lambda: fft.fft(torch.tensor(1.0)), IndexError, "Dimension specified as -1 but tensor has no dimensions"),
        (lambda: fft.fft(x, norm="bad"), RuntimeError, 'Invalid normalization mode: "bad"'),
        (lambda: fft.fft(x.half()), RuntimeError, "Unsupported dtype Half"),
        (lambda: fft.rfft(z), RuntimeError, "rfft expects a real input tensor, but got ComplexFloat"),
        (lambda: fft.rfftn(z), RuntimeError, "rfftn expects a real-valued input tensor, but got ComplexFloat"),
        (lambda: fft.ihfft2(z), RuntimeError, "Only supports floating-point dtypes, but found: ComplexFloat"),
        (lambda: fft.irfft(torch.ones(1)), RuntimeError, r"Invalid number of data points \(0\) specified"),
        (lambda: fft.fftn(x, s=(3, 4, 5)), RuntimeError, "Got shape with 3 values but input tensor only has 2 dimensions"),
        (lambda: fft.fftn(x, s=(3,), dim=(0, 1)), RuntimeError, "When given, dim and shape arguments must have the same length"),
        (lambda: fft.fftn(x, dim=(0, 0)), RuntimeError, "FFT dims must be unique"),
        (lambda: fft.rfftn(x, dim=()), RuntimeError, "rfftn must transform at least one axis"),
        (lambda: fft.fftfreq(4, dtype=torch.int64), RuntimeError, "fftfreq requires a floating point or complex dtype"),
        (lambda: torch._fft_c2c(x, [1], 0, True), RuntimeError, "Only supports complex dtypes, but found: Float"),
        (
            lambda: torch._fft_c2r(z, [1], 0, 5),
            RuntimeError,
            "a real result of 5 elements is made of 3 complex ones along its last transformed dim, but there are 4",
        ),
    ):
        with pytest.raises(kind, match=words):
            call()


def leaf(*shape, dtype=torch.complex128):
    return drawn(*shape, dtype=dtype).requires_grad_()


@pytest.mark.parametrize("name", ["fft", "ifft", "irfft", "hfft", "fftn", "irfftn", "hfftn", "ifft2"])
@pytest.mark.parametrize("norm", [None, "ortho"])
def test_gradients_of_complex_numbers(name, norm):
    for shape in ((2, 4), (3, 3)):
        for call in (
            lambda z: getattr(fft, name)(z, norm=norm),
            lambda z: getattr(fft, name)(z, (5,) if name.endswith(("n", "2")) and name != "ifft2" else (5, 2) if name == "ifft2" else 5),
        ):
            assert gradcheck(call, (leaf(*shape),)) and gradgradcheck(call, (leaf(*shape),))


@pytest.mark.parametrize("name", ["fft", "rfft", "ihfft", "rfftn", "ihfftn", "rfft2", "fftn"])
def test_gradients_of_real_numbers(name):
    for shape in ((2, 4), (3, 3)):
        call = getattr(fft, name)
        assert gradcheck(call, (leaf(*shape, dtype=torch.float64),)) and gradgradcheck(call, (leaf(*shape, dtype=torch.float64),))
        x = leaf(*shape, dtype=torch.float64)
        call(x).abs().sum().backward()
        assert x.grad.dtype == torch.float64


def test_graphs():
    def call(x):
        return fft.irfft(fft.rfft(x, dim=0) * 2, n=x.shape[0], dim=0)

    traced = torch.jit.trace(call, (torch.randn(6, 2),))
    for shape in ((6, 2), (9, 3)):
        x = torch.randn(*shape)
        assert torch.allclose(traced(x), 2 * x, atol=1e-5)
    made = torch.fx.symbolic_trace(lambda x: fft.fft(x).abs())
    x = torch.randn(5)
    assert torch.equal(made(x), fft.fft(x).abs())


def test_short_time_transforms():
    x, window = drawn(2, 60, dtype=torch.float64), torch.hann_window(8, dtype=torch.float64)
    z = torch.stft(x, 8, 2, window=window, return_complex=True)
    assert z.shape == (2, 5, 31) and torch.equal(x[0].stft(8, 2, window=window, return_complex=True), z[0])
    padded = np.pad(x.numpy(), ((0, 0), (4, 4)), mode="reflect")
    assert np.allclose(z[:, :, 3].numpy(), np.fft.rfft(padded[:, 6:14] * window.numpy()))
    assert torch.allclose(torch.istft(z, 8, 2, window=window), x) and torch.allclose(z.istft(8, 2, window=window, length=50), x[:, :50])
    assert torch.istft(z, 8, 2, window=window, length=70)[:, 64:].abs().max() == 0
    pairs = torch.stft(x, 8, return_complex=False)
    assert torch.equal(torch.view_as_complex(pairs.contiguous()), torch.stft(x, 8, return_complex=True))
    aligned = torch.stft(x, 8, 2, 5, center=False, return_complex=True, align_to_window=True)
    assert aligned.shape == (2, 5, 28)


def test_gradients_of_short_time_transforms():
    x, window = leaf(20, dtype=torch.float64), torch.hamming_window(6, dtype=torch.float64).requires_grad_()
    assert gradcheck(lambda x, w: torch.stft(x, 6, 3, window=w, return_complex=True), (x, window))
    assert gradcheck(lambda z, w: torch.istft(z, 6, 3, window=w), (leaf(4, 6), window))


def test_short_time_errors():
    x = torch.ones(40)
    z = torch.stft(x, 8, return_complex=True)
    for call, words in (
        (lambda: torch.stft(x, 8), "stft requires the return_complex parameter be given for real inputs"),
        (lambda: torch.stft(x, 80, center=False, return_complex=True), r"stft\(torch.FloatTensor\[40\], n_fft=80, hop_length=20, win_length=80, window=None, normalized=0, "
         r"onesided=None, return_complex=1, align_to_window=None\) : expected 0 < n_fft < 40, but got n_fft=80"),
        (lambda: torch.stft(x, 8, 2, 6, window=torch.ones(5), return_complex=True), r"expected a 1D window tensor of size equal to win_length=6, but got window with size \[5\]"),
        (lambda: torch.stft(x, 8, align_to_window=True, return_complex=True), "stft align_to_window should only be set when center = false"),
        (lambda: torch.istft(torch.ones(5, 9), 8), "istft requires a complex-valued input tensor"),
        (lambda: torch.istft(z, 10), r"istft\(CPUComplexFloatType\[5, 21\], n_fft=10, hop_length=2, .* : expected the frequency dimension"),
        (lambda: torch.istft(z, 8, center=False, window=torch.hann_window(8)), "window overlap add min: 1"),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match=words):
            call()


def test_windows():
    for name, exact in (("hann", np.hanning), ("hamming", np.hamming), ("blackman", np.blackman), ("bartlett", np.bartlett)):
        window = getattr(torch, f"{name}_window")
        for n in (0, 1, 2, 7, 8):
            assert np.allclose(window(n, periodic=False, dtype=torch.float64).numpy(), exact(n)), (name, n)
            assert np.allclose(window(n).numpy(), exact(n + 1)[:n] if n > 1 else np.ones(n), atol=1e-6), (name, n)
    assert torch.hamming_window(5, True, 0.3, 0.2).shape == (5,)
    with pytest.raises(RuntimeError, match="hann_window requires non-negative window_length, got window_length=-1"):
        torch.hann_window(-1)
