"""Scripted functions whose time goes into loops of numbers, beside PyTorch's interpreter with its profiling executor, as it is by default. Both run the same source,
so that a ratio of times is one of times for each node executed."""

from run import row


def collatz(limit: int) -> int:
    longest = 0
    start = 1
    while start < limit:
        n = start
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        if steps > longest:
            longest = steps
        start += 1
    return longest


def common_divisors(limit: int) -> int:
    total = 0
    for a in range(1, limit):
        x = a
        y = limit
        while y != 0:
            x, y = y, x % y
        total += x
    return total


def nested_sums(n: int) -> float:
    total = 0.0
    i = 0
    while i < n:
        j = 0
        while j < i:
            total = total + float(i) * 0.5 - float(j)
            j += 1
        i += 1
    return total


def square_root(x: float, times: int) -> float:
    total = 0.0
    k = 0
    while k < times:
        guess = x + float(k)
        target = guess
        while abs(guess * guess - target) > 1e-9 * target:
            guess = 0.5 * (guess + target / guess)
        total += guess
        k += 1
    return total


def sum_of_list(numbers: list[int], times: int) -> int:
    total = 0
    k = 0
    while k < times:
        for n in numbers:
            if n > 3 and n < 90:
                total += n * k
        k += 1
    return total


def small_tensor(x, times: int):
    k = 0
    while k < times:
        x = x * 0.5 + 1.0
        k += 1
    return x


def scripted(function, arguments):
    def start(torch):
        compiled = torch.jit.script(function)
        given = arguments(torch)
        for _ in range(5):  # PyTorch profiles its first calls
            compiled(*given)
        return lambda: compiled(*given)

    return start


for _name, _about, _function, _arguments in [
    ("script_collatz", "the longest chain of Collatz below 200: ints and branches", collatz, lambda torch: (200,)),
    ("script_gcd", "999 greatest common divisors: two ints carried around", common_divisors, lambda torch: (1000,)),
    ("script_sums", "nested sums of floats, 4,950 steps", nested_sums, lambda torch: (100,)),
    ("script_roots", "500 square roots by Newton's steps: floats", square_root, lambda torch: (2.0, 500)),
    ("script_list", "a loop over a list of 100 ints, 40 times", sum_of_list, lambda torch: (list(range(100)), 40)),
    ("script_tensor", "500 steps of a multiplication and an addition of 8 numbers", small_tensor, lambda torch: (torch.ones(8), 500)),
]:
    row(_name, about=_about, at_most=0.7)(scripted(_function, _arguments))
