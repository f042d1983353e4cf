"""Pure Python programs whose time is spent in the interpreter: calls of methods, attributes, and arithmetic. They are of the kinds of the well-known
benchmarks `richards` and `nbody`, written anew."""

from __future__ import annotations

import math

# --- A small operating system: tasks that wait for packets, and a scheduler. As in `richards`, time goes into methods and attributes.


class Packet:
    def __init__(self, link: Packet | None, receiver: int, kind: int) -> None:
        self.link = link
        self.receiver = receiver
        self.kind = kind
        self.value = 0
        self.data = [0] * 4

    def append_to(self, queue: Packet | None) -> Packet:
        self.link = None
        if queue is None:
            return self
        last = queue
        while last.link is not None:
            last = last.link
        last.link = self
        return queue


class Task:
    def __init__(self, number: int, priority: int, queue: Packet | None) -> None:
        self.number = number
        self.priority = priority
        self.queue = queue
        self.waiting = queue is None
        self.held = False

    def is_ready(self) -> bool:
        return not self.held and (self.queue is not None or not self.waiting)

    def take(self) -> Packet | None:
        packet = self.queue
        if packet is not None:
            self.queue = packet.link
        return packet

    def step(self, system: System) -> None:
        raise NotImplementedError


class Idle(Task):
    def __init__(self, number: int, rounds: int) -> None:
        super().__init__(number, 0, None)
        self.waiting = False
        self.rounds = rounds
        self.state = 1

    def step(self, system: System) -> None:
        self.rounds -= 1
        if self.rounds == 0:
            self.held = True
        elif self.state & 1:
            self.state = self.state // 2 ^ 0xD008
            system.release(5)
        else:
            self.state //= 2
            system.release(4)


class Worker(Task):
    def step(self, system: System) -> None:
        packet = self.take()
        if packet is None:
            self.waiting = True
            return
        packet.receiver = 3 if packet.receiver == 2 else 2
        total = packet.value
        for i in range(len(packet.data)):
            total = (total + 1) % 26
            packet.data[i] = 65 + total
        packet.value = total
        system.send(packet, 2 + total % 2)


class Handler(Task):
    def step(self, system: System) -> None:
        packet = self.take()
        if packet is None:
            self.waiting = True
            return
        system.handled += 1
        packet.kind ^= 1
        system.send(packet, 1)


class Device(Task):
    def step(self, system: System) -> None:
        packet = self.take()
        if packet is not None:
            system.send(packet, 1)
        self.held = True


class System:
    def __init__(self, rounds: int) -> None:
        first = Packet(Packet(None, 2, 1), 3, 0)
        self.tasks: list[Task] = [
            Idle(0, rounds),
            Worker(1, 1000, first),
            Handler(2, 2000, Packet(None, 4, 0)),
            Handler(3, 3000, Packet(None, 5, 1)),
            Device(4, 4000, None),
            Device(5, 5000, None),
        ]
        self.by_priority = sorted(self.tasks, key=lambda task: -task.priority)
        self.handled = 0
        self.steps = 0

    def send(self, packet: Packet, receiver: int) -> None:
        task = self.tasks[receiver]
        task.queue = packet.append_to(task.queue)
        task.waiting = False

    def release(self, number: int) -> None:
        self.tasks[number].held = False


def richards(rounds: int = 4000) -> tuple[int, int]:
    system = System(rounds)
    for _ in range(rounds):
        system.tasks[0].queue = None
        for task in system.by_priority:
            if task.is_ready():
                system.steps += 1
                task.step(system)
        if system.tasks[0].held:
            break
    return system.steps, system.handled


# --- Planets: arithmetic of floats in lists, as in `nbody`.

BODIES = {
    "sun": ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 39.5),
    "jupiter": ([4.84, -1.16, -0.10], [0.606, 2.811, -0.025], 0.0377),
    "saturn": ([8.34, 4.12, -0.40], [-1.011, 1.826, 0.0084], 0.0113),
    "uranus": ([12.89, -15.11, -0.22], [1.083, 0.869, -0.011], 0.0017),
    "neptune": ([15.38, -25.92, 0.18], [0.979, 0.595, -0.035], 0.0020),
}


def energy(bodies: list) -> float:
    total = 0.0
    for i, (place, speed, mass) in enumerate(bodies):
        total += mass * sum(v * v for v in speed) / 2
        for other, _, other_mass in bodies[i + 1 :]:
            total -= mass * other_mass / math.sqrt(sum((a - b) ** 2 for a, b in zip(place, other, strict=True)))
    return total


def nbody(steps: int = 2000) -> float:
    bodies = [(list(place), list(speed), mass) for place, speed, mass in BODIES.values()]
    pairs = [(a, b) for i, a in enumerate(bodies) for b in bodies[i + 1 :]]
    time = 0.01
    for _ in range(steps):
        for ((x1, y1, z1), v1, m1), ((x2, y2, z2), v2, m2) in pairs:
            dx, dy, dz = x1 - x2, y1 - y2, z1 - z2
            pull = time * (dx * dx + dy * dy + dz * dz) ** -1.5
            v1[0] -= dx * m2 * pull
            v1[1] -= dy * m2 * pull
            v1[2] -= dz * m2 * pull
            v2[0] += dx * m1 * pull
            v2[1] += dy * m1 * pull
            v2[2] += dz * m1 * pull
        for place, speed, _mass in bodies:
            for axis in range(3):
                place[axis] += time * speed[axis]
    return energy(bodies)


# --- Generators in generators, and exceptions.


def walk(tree: tuple | int):
    if isinstance(tree, int):
        yield tree
    else:
        for part in tree:
            yield from walk(part)


def generators(depth: int = 11) -> int:
    tree: tuple | int = 1
    for _ in range(depth):
        tree = (tree, tree)
    return sum(walk(tree))


def exceptions(count: int = 20000) -> int:
    caught = 0
    for i in range(count):
        try:
            if i % 3:
                raise ValueError(i)
        except ValueError as error:
            caught += error.args[0] % 2
        finally:
            caught += 1
    return caught


PROGRAMS = (richards, nbody, generators, exceptions)
