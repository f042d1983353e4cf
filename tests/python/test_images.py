"""Convolutions and pools over images: the same bits with a weight that is kept in order and without, with the places of a pool and without."""

from __future__ import annotations

import monograph as torch
import pytest

conv2d = torch.nn.functional.conv2d
max_pool = torch.nn.functional.max_pool2d

# image, output channels, sizes of the window, stride, padding, dilation, groups
CONVOLUTIONS = [
    ((2, 64, 14, 14), 64, (3, 3), 1, 1, 1, 1),
    ((1, 32, 7, 7), 48, (3, 3), 1, 1, 1, 1),  # few places: only a weight in order makes the kernels of many channels pay
    ((3, 128, 7, 7), 33, (1, 1), 1, 0, 1, 1),
    ((1, 64, 19, 23), 96, (3, 2), (2, 1), (1, 0), (1, 2), 2),
    ((33, 9, 30), 32, (5, 1), 1, (2, 0), 1, 1),  # no batch
]


def bits(t):
    return t.detach().clone().numpy().tobytes()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("case", CONVOLUTIONS, ids=lambda c: "x".join(map(str, c[0])))
@pytest.mark.parametrize("threads", [1, 2])
def test_a_convolution_has_the_same_bits_with_a_kept_weight(case, dtype, threads):
    shape, outputs, window, *how, groups = case
    torch.manual_seed(0)
    image, bias = torch.randn(*shape).to(dtype), torch.randn(outputs).to(dtype)
    weight = torch.randn(outputs, shape[-3] // groups, *window).to(dtype)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        results = [conv2d(image, weight, bias, *how, groups) for _ in range(4)]
        fresh = conv2d(image, weight.clone(), bias, *how, groups)
        assert {bits(r) for r in results} == {bits(fresh)}
        assert bits(conv2d(image, weight, None, *how, groups)) == bits(conv2d(image, weight.clone(), None, *how, groups))
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("outputs", [1, 8, 24, 32, 33, 64])
def test_one_image_has_the_same_bits_on_any_number_of_threads(outputs):
    """With few output channels the threads share the rows of the image."""
    torch.manual_seed(0)
    before = torch.get_num_threads()
    try:
        for inputs, size, window, stride in ((64, 28, 3, 1), (64, 27, 3, 1), (96, 40, 1, 1), (16, 40, 5, 2), (3, 64, 1, 1)):
            image, bias = torch.randn(1, inputs, size, size), torch.randn(outputs)
            weight, turned = torch.randn(outputs, inputs, window, window), torch.randn(inputs, outputs, window, window)
            results = set()
            for threads in (1, 2, 3, 5):
                torch.set_num_threads(threads)
                forward = conv2d(image, weight, bias, stride, window // 2)
                back = torch.nn.functional.conv_transpose2d(image, turned, bias, stride, window // 2)
                results.add((bits(forward), bits(back)))
            assert len(results) == 1
    finally:
        torch.set_num_threads(before)


def test_a_kept_weight_follows_writes_and_views():
    image, weight = torch.randn(2, 32, 14, 14), torch.randn(64, 32, 3, 3)
    for _ in range(3):
        conv2d(image, weight, None, 1, 1)
    with torch.no_grad():
        weight.mul_(2)
    for _ in range(3):
        assert bits(conv2d(image, weight, None, 1, 1)) == bits(conv2d(image, weight.clone(), None, 1, 1))
    weight[3] = 0
    for _ in range(3):
        assert bits(conv2d(image, weight, None, 1, 1)) == bits(conv2d(image, weight.clone(), None, 1, 1))
    # Other views of the same memory, with other groups and layouts, in turn.
    wide = torch.randn(2, 64, 14, 14)
    for _ in range(3):
        for view, groups, pixels in (
            (weight[:32], 1, image), (weight[32:], 1, image), (weight, 2, wide), (weight.transpose(2, 3), 1, image), (weight, 1, image),
        ):  # fmt: skip
            assert bits(conv2d(pixels, view, None, 1, 1, 1, groups)) == bits(conv2d(pixels, view.clone(), None, 1, 1, 1, groups))


def test_a_weight_is_kept_for_a_product_and_for_a_convolution_in_turn():
    image, weight = torch.randn(1, 160, 14, 14), torch.randn(64, 160, 1, 1)
    matrix, rows = weight.view(64, 160), torch.randn(5, 160)
    convolved, product = bits(conv2d(image, weight.clone())), bits(torch.mm(rows, matrix.clone().t()))
    for _ in range(3):
        for _ in range(3):
            assert bits(conv2d(image, weight)) == convolved
        for _ in range(3):
            assert bits(torch.nn.functional.linear(rows, matrix)) == product


def test_a_training_step_reads_the_new_weight():
    torch.manual_seed(1)
    conv, image = torch.nn.Conv2d(32, 64, 3, padding=1), torch.randn(2, 32, 14, 14)
    optimizer = torch.optim.SGD(conv.parameters(), lr=0.1)
    for _ in range(3):
        for _ in range(3):
            assert bits(conv(image)) == bits(conv2d(image, conv.weight.clone(), conv.bias, 1, 1))
        optimizer.zero_grad()
        conv(image).sum().backward()
        optimizer.step()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.uint8], ids=str)
@pytest.mark.parametrize("window", [(3, 2, 1, 1), (2, 2, 0, 1), (3, 1, 1, 1), ((2, 5), (1, 2), (0, 2), (2, 3)), (2, 3, 1, 1), ((1, 20), 2, 0, (1, 2))])
@pytest.mark.parametrize("ceil", [False, True])
def test_a_pool_has_the_same_values_with_places_and_without(dtype, window, ceil):
    torch.manual_seed(0)
    kinds = [torch.randn(2, 3, 45, 150) * 50]
    kinds.append(kinds[0].round() * 0.0)  # zeros of both signs: the first of equal ones is the largest
    if dtype.is_floating_point:
        kinds.append(torch.where(kinds[0] > 60, float("nan"), torch.where(kinds[0] < -60, -float("inf"), kinds[0])))
    for image in kinds:
        image = image.abs().to(dtype) if dtype == torch.uint8 else image.to(dtype)
        for view in (image, image[..., ::2], image.transpose(2, 3), image[..., 7:]):
            values, places = max_pool(view, *window, ceil, return_indices=True)
            alone = max_pool(view, *window, ceil)
            shown = [t.to(torch.float64) for t in (values, alone)] if dtype.is_floating_point else [values, alone]
            same = [(t.isnan(), t.nan_to_num(0.0)) if dtype.is_floating_point else (t,) for t in shown]
            assert [bits(t) for t in same[0]] == [bits(t) for t in same[1]]
            assert places.shape == alone.shape


@pytest.mark.parametrize("wanted", [0, (0, 2, 2), (2, 0, 2), (2, 2, 0)])
@pytest.mark.parametrize("sizes", [(1, 2, 4, 4, 4), (2, 4, 4, 4), (0, 2, 4, 4, 4)])
def test_an_adaptive_pool_of_a_volume_may_have_no_pixel(sizes, wanted):
    x = torch.ones(sizes, requires_grad=True)
    y = torch.nn.functional.adaptive_avg_pool3d(x, wanted)
    assert y.shape == sizes[:-3] + ((wanted,) * 3 if wanted == 0 else wanted)
    y.sum().backward()
    assert x.grad.equal(torch.zeros(sizes))


def test_a_window_may_be_larger_than_the_image_where_sizes_are_rounded_up():
    """As in PyTorch: with ceil_mode there is one window as long as the stride reaches it."""
    x = torch.arange(4.0).reshape(1, 1, 1, 4)
    assert torch.nn.functional.max_pool2d(x, (3, 1), (3, 1), ceil_mode=True).tolist() == [[[[0.0, 1.0, 2.0, 3.0]]]]
    assert torch.nn.functional.avg_pool2d(x, (3, 1), (3, 1), ceil_mode=True).tolist() == [[[[0.0, 1.0, 2.0, 3.0]]]]
    assert torch.nn.functional.avg_pool2d(x, (3, 2), (3, 2), ceil_mode=True).tolist() == [[[[0.5, 2.5]]]]
    for stride, ceil in ((1, True), (3, False)):
        with pytest.raises(RuntimeError, match="Kernel size can't be greater than actual input size"):
            torch.nn.functional.max_pool2d(x, (3, 1), (stride, 1), ceil_mode=ceil)


@pytest.mark.parametrize("dtype, tiny", [(torch.float32, 1e-25), (torch.float64, 1e-180)], ids=str)
def test_a_kept_weight_keeps_the_bits_at_the_border(dtype, tiny):
    """Kernels leave links of the padding out. A zero of the padding counts where a weight is infinite, and where a sum is -0."""
    torch.manual_seed(2)
    image, weight = torch.rand(2, 32, 8, 9).to(dtype) + 0.5, torch.randn(64, 32, 3, 3).to(dtype)
    infinite = weight.clone()
    infinite[5, 3, 0, 1], infinite[40, 7, 2, 2] = float("inf"), float("nan")
    for pixels, taps in ((image, weight), (image, infinite), (image * tiny, weight * tiny), (image * 0, weight)):
        expected = conv2d(pixels, taps.clone(), None, 1, 1)
        for _ in range(3):
            found = conv2d(pixels, taps, None, 1, 1)
        assert bits(found.isnan()) == bits(expected.isnan())
        assert bits(torch.where(found.isnan(), 1.0, found)) == bits(torch.where(expected.isnan(), 1.0, expected))
    signs = {bits(z) for z in conv2d(image * tiny, weight * tiny, None, 1, 1).flatten()}
    assert signs == {bits(torch.zeros((), dtype=dtype)), bits(-torch.zeros((), dtype=dtype))}  # or the tiny numbers tested nothing


def test_a_warning_of_dropout_names_the_line_of_the_caller():
    with pytest.warns(UserWarning, match="dropout2d: Received a 3D input") as warned:
        torch.nn.functional.dropout2d(torch.ones(2, 3, 4))
    assert warned[0].filename == __file__


ANTIALIASED = {
    "smaller": {"size": (7, 9)},
    "higher and narrower": {"size": (40, 11)},
    "a square": {"size": 5, "align_corners": True},
    "by a factor": {"scale_factor": 0.37},
    "by two factors": {"scale_factor": (0.5, 2.0)},
    "by a factor anew": {"scale_factor": 0.37, "recompute_scale_factor": True},
    "corner to corner": {"scale_factor": 0.6, "align_corners": True},
    "one size stays": {"size": (33, 10)},
}


@pytest.mark.oracle
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("name", ANTIALIASED)
def test_antialiased_images_are_those_of_pytorch(oracle, sample_seed, name, mode):
    np = pytest.importorskip("numpy")
    draw = np.random.default_rng(sample_seed)
    options = {"mode": mode, "antialias": True, **ANTIALIASED[name]}
    program = "x = x.requires_grad_()\ny = torch.nn.functional.interpolate(x, **options)\ny.square().sum().backward()\nresult = [y.detach(), x.grad]"
    for dtype, tolerance in (("float32", 1e-5), ("float64", 1e-5)):  # PyTorch's weights are float32 for float32
        image = draw.random((2, 3, 33, 40)).astype(dtype)
        found = {"torch": torch, "x": torch.from_numpy(image.copy()), "options": options}
        exec(program, found)
        for a, b in zip(found["result"], oracle.run(program, x=image, options=options), strict=True):
            np.testing.assert_allclose(a.numpy(), b, rtol=tolerance, atol=tolerance)
    image = draw.integers(0, 256, (2, 3, 33, 40)).astype("uint8")
    expected = oracle.eval("torch.nn.functional.interpolate(x, **options)", x=image, options=options)
    assert (torch.nn.functional.interpolate(torch.from_numpy(image), **options).numpy() == expected).all()


def test_antialiased_images_in_captures():
    image = torch.rand(1, 2, 20, 24)

    def shrunk(x):
        return torch.nn.functional.interpolate(x, size=(7, 9), mode="bilinear", antialias=True)

    other = torch.rand(2, 2, 20, 24)
    for captured in (torch.jit.trace(shrunk, (image,)), torch.capture(shrunk, image)):
        assert torch.equal(captured(other), shrunk(other))


def test_antialiased_images_in_scripts(tmp_path):
    """A script resamples floats and bytes, and so does what it has saved."""

    def shrunk(x):
        return torch.nn.functional.interpolate(x, size=(7, 9), mode="bilinear", antialias=True)

    scripted = torch.jit.script(shrunk)
    torch.jit.save(scripted, tmp_path / "shrunk.pt")
    loaded = torch.jit.load(tmp_path / "shrunk.pt")
    for image in (torch.rand(1, 2, 20, 24), torch.rand(1, 2, 20, 24).double(), torch.randint(0, 256, (2, 3, 20, 24)).byte()):
        assert torch.equal(scripted(image), shrunk(image)) and torch.equal(loaded(image), shrunk(image))
    with pytest.raises(RuntimeError, match="floating-point images and those of uint8"):
        scripted(torch.ones(1, 2, 20, 24).long())
