"""Networks, eager: ResNet-18 and MobileNetV2 in plain spelling, with random weights."""

from run import row


def resnet18(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
            self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
            self.down = None
            if stride != 1 or inputs != outputs:
                self.down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

        def forward(self, x):
            skip = x if self.down is None else self.down(x)
            y = torch.relu(self.bn1(self.conv1(x)))
            return torch.relu(self.bn2(self.conv2(y)) + skip)

    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(inputs, outputs, stride), Block(outputs, outputs, 1)]
        inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


def mobilenet_v2(torch):
    nn = torch.nn

    def unit(inputs, outputs, kernel, stride, groups):
        conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
        return [conv, nn.BatchNorm2d(outputs), nn.ReLU6()]

    class Block(nn.Module):
        def __init__(self, inputs, outputs, stride, widen):
            super().__init__()
            hidden = inputs * widen
            layers = unit(inputs, hidden, 1, 1, 1) if widen != 1 else []
            layers += unit(hidden, hidden, 3, stride, hidden)
            self.layers = nn.Sequential(*layers, nn.Conv2d(hidden, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
            self.skips = stride == 1 and inputs == outputs

        def forward(self, x):
            return x + self.layers(x) if self.skips else self.layers(x)

    layers = unit(3, 32, 3, 2, 1)
    inputs = 32
    for widen, outputs, count, stride in (
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
    ):  # fmt: skip
        for k in range(count):
            layers.append(Block(inputs, outputs, stride if k == 0 else 1, widen))
            inputs = outputs
    return nn.Sequential(*layers, *unit(320, 1280, 1, 1, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, 1000))


def eager(name: str, make, batch: int, about: str) -> None:
    def prepare(torch):
        model = make(torch).eval()
        images = [torch.randn(batch, 3, 224, 224) for _ in range(2)]
        turn = 0

        def once():
            nonlocal turn
            turn = 1 - turn
            with torch.no_grad():
                return model(images[turn])

        return once

    row(f"{name}_{batch}_eager", at_most=0.8, about=f"{about}, eager, {batch} image{'s' * (batch > 1)} of 224×224", rtol=1e-2, atol=1e-3)(prepare)


for batch in (1, 8):
    eager("resnet18", resnet18, batch, "ResNet-18")
    eager("mobilenet_v2", mobilenet_v2, batch, "MobileNetV2")
