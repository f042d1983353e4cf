def or_refines(n: Optional[int]):
    if n is None or n < 2:
        return 0
    return n * 2
