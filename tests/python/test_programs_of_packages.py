"""Networks and programs of other people's packages, with Monograph in the place of PyTorch, beside live PyTorch. `./dev programs` runs more of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "capture"))
from run_networks import CAPTURES, EAGER, MISSING, Both, is_good, registered  # noqa: E402

PACKAGES = Path(os.environ.get("MONOGRAPH_PACKAGES") or ROOT / ".programs")
NETWORKS, PROGRAMS = registered().NETWORKS, registered().PROGRAMS
SHORT = [name for name, network in NETWORKS.items() if network.short]
# What issue and design ask for: each of these is there.
KINDS = """ResNet-18 ResNet-50 MobileNetV2 MobileNetV3 EfficientNet DenseNet U-Net ViT Swin ConvNeXt BERT GPT Llama LSTM|language|model VAE graph|network
diffusion|U-Net speech|encoder Whisper GPT-2 ViTModel""".replace("|", "\0").split()


@pytest.fixture(scope="module")
def both():
    if not PACKAGES.exists():
        pytest.skip("needs other people's packages in .programs; ./dev test --oracle and ./dev setup --programs install them")
    sides = Both(sys.executable, os.environ["MONOGRAPH_ORACLE"], PACKAGES)
    yield sides
    sides.close()


def test_every_kind_of_network_is_there():
    assert {kind.replace("\0", " ") for kind in KINDS} <= set(NETWORKS)
    assert {network.package for network in NETWORKS.values()} == {"einops", "plain", "timm", "torchvision", "transformers"}
    assert {program.package for program in PROGRAMS.values()} == {"einops", "safetensors", "transformers"}


@pytest.mark.oracle
@pytest.mark.parametrize("name", SHORT)
def test_a_network_computes_what_pytorch_computes(name, both):
    found = both.eager(name)
    assert {column: outcome for column, outcome in found.items() if not is_good(column, outcome, NETWORKS[name].ulps)} == {}
    assert set(found) == set(EAGER)


@pytest.mark.oracle
@pytest.mark.parametrize("name", SHORT)
def test_a_capture_is_equal_at_two_batch_sizes_or_refuses_with_a_line(name, both):
    found, refused = both.captures(name), NETWORKS[name].refused
    assert {column for column, outcome in found.items() if not is_good(column, outcome)} == set(refused)
    for column, words in refused.items():
        assert words in found[column] and "not named" not in found[column] and "no line" not in found[column]
    assert set(CAPTURES) <= set(found)


@pytest.mark.oracle
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program_returns_what_it_returns_with_pytorch(name, both):
    assert both.program(name) == "ok"


@pytest.mark.oracle
def test_names_that_are_imported_and_missing_are_listed(both):
    for name in SHORT:
        both.ours.ask("weights", name)
    assert set(both.ours.ask("missing")) <= {line for line in MISSING.read_text().splitlines() if not line.startswith("#")}


def test_no_network_needs_a_trace_that_refuses():
    assert sum("trace" in network.refused for network in NETWORKS.values()) <= 6
