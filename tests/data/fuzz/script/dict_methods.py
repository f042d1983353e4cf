def dict_methods(d: Dict[str, int]):
    return list(d.keys()), list(d.values()), d.get("a", 0), d.get("q", 7)
