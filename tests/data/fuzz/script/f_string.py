def f_string(n: int):
    return f"n={n}, twice={n * 2}!"
