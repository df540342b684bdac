"""Statements over joins, in pieces that can be taken away one by one."""
from predicates import Tree
from statements import Select


class Join:
    """Two trees of relations joined; the right one in parentheses if it is a join itself."""

    def __init__(self, kind, left, right, on):
        self.kind, self.left, self.right, self.on = kind, left, right, on

    @property
    def parts(self):
        """The SQL."""
        right = ["("] + self.right.parts + [")"] if isinstance(self.right, Join) else self.right.parts
        return self.left.parts + [f" {self.kind} "] + right + ([" ON "] + self.on.parts if self.on else [])

    def keeps_left(self):
        """May rows of the leftmost relation be locked: no join makes NULLs of them?"""
        return self.kind not in ("RIGHT JOIN", "FULL JOIN") and self.left.keeps_left()

    def smaller(self):
        """With one thing less; what still names it is an error on both sides."""
        yield self.left
        yield self.right
        if self.on:
            for on in self.on.smaller():
                yield Join(self.kind, self.left, self.right, on)
        for left in self.left.smaller():
            yield Join(self.kind, left, self.right, self.on)
        for right in self.right.smaller():
            yield Join(self.kind, self.left, right, self.on)


class Joined(Select):
    """A SELECT over a tree; `targets` are lists of parts, `where` is a list of conditions."""

    def __init__(self, tree):
        super().__init__([], [])
        self.tree = tree
        self.where = []
        self.before = []        # WITH ...
        self.extra = []         # targets that must not be left out
        self.texts = []         # columns for a list of targets
        self.wrap = "{}"        # around all of it
        self.second = None      # for UNION ALL
        self.complete = False   # not for a cursor: errors depend on rows that it does not fetch, or it locks
        self.driver = None
        self.update = None      # instead of SELECT ... FROM

    def parts(self):
        head, tail = self.wrap.split("{}")
        targets = [part for number, target in enumerate(self.targets) for part in ([", "] if number else []) + target]
        start = [head] + self.before if head.startswith("WITH") else self.before + [head]
        verb = [self.update] if self.update else ["SELECT "] + targets + [" FROM "]
        out = start + verb + self.tree.parts
        if self.where:
            out += [" WHERE "] + Tree("AND", self.where).parts
        out += [self.group, f" ORDER BY {self.order}" if self.order else "", self.limit, tail]
        return out + ([" UNION ALL ("] + self.second.parts() + [")"] if self.second else [])

    def smaller(self):
        for name in ("limit", "order"):
            if getattr(self, name) and (name != "order" or not self.limit):
                yield self.but(**{name: ""}, exact_order=self.exact_order and name != "order")
        if self.wrap != "{}":
            yield self.but(wrap="{}")
        if self.second:
            yield from (self.but(second=None), self.second)
        for number, one in enumerate(self.where):
            rest = self.where[:number] + self.where[number + 1:]
            yield self.but(where=rest)
            for simpler in one.smaller():
                yield self.but(where=rest + [simpler])
        for tree in self.tree.smaller():
            yield self.but(tree=tree)
        if len(self.targets) > 1 and not self.group:
            for number in range(len(self.targets)):
                yield self.but(targets=self.targets[:number] + self.targets[number + 1:])

    def all_tags(self):
        return [(self.aliases.get(alias), alias, column, operator) for one in self.where for leaf in one.leaves()
                for alias, column, operator in leaf.tags] + self.tags
