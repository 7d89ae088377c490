"""Programs as models write them for the heuristics of towers of blocks, good ones and bad ones."""

GOOD = """def make_heuristic(objects, static, goal, unwanted):
    below = {fact[1]: fact[2] for fact in goal if fact[0] == "on"}

    def heuristic(state):
        under = {fact[1]: fact[2] for fact in state if fact[0] == "on"}
        tables = {fact[1] for fact in state if fact[0] == "on-table"}

        def right(block):
            if block in tables:
                return block not in below
            return block in under and under[block] == below.get(block) and right(under[block])

        value = 0
        for block in objects["object"]:
            if right(block):
                continue
            if block in tables:
                value += 2
            elif block in under:
                value += 4 if block in below else 2
            else:  # it is held
                support = below.get(block)
                ready = support is None or (right(support) and ("clear", support) in state)
                value += 1 if ready else 3
        return value

    return heuristic
"""
COUNTING = """def make_heuristic(objects, static, goal, unwanted):
    return lambda state: sum(fact not in state for fact in goal)
"""
UPDATING = """def make_heuristic(objects, static, goal, unwanted):
    wanted = set(goal)

    def heuristic(state):
        return sum(fact not in state for fact in wanted)

    def update(state, added, deleted):
        return heuristic(state) - len(wanted & added) + len(wanted & deleted) + ERROR

    return heuristic, update
"""
FAILING = """def make_heuristic(objects, static, goal, unwanted):
    def heuristic(state):
        return 1 / (len(state) - len(state))
    return heuristic
"""
SLOW = """def make_heuristic(objects, static, goal, unwanted):
    return lambda state: sum(1 for i in range(3_000_000))
"""
HANGING = """def make_heuristic(objects, static, goal, unwanted):
    return lambda state: sum(1 for i in range(10 ** 12))
"""
DEAF = """def make_heuristic(objects, static, goal, unwanted):
    return lambda state: sum(range(10 ** 12))
"""
NONSENSE = "def make_heuristic(objects, static, goal, unwanted):\n    return lambda state: 'three'\n"
LEAVING = "import os\n\ndef make_heuristic(objects, static, goal, unwanted):\n    return lambda state: os.getpid()\n"
EATING = """def make_heuristic(objects, static, goal, unwanted):
    return lambda state: len([0] * 10 ** 11)
"""
