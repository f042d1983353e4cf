def f(x):
    return 2 * "a"
