"""What test/unit/test_item_match.c believes of DynamoDB's filters is what DynamoDB does."""
import os
import unittest

import match_facts
from dynamo import DynamoClient


class Facts(unittest.TestCase):
    """The file of facts."""

    def setUp(self):
        self.dynamo = DynamoClient(os.environ["DDB_ENDPOINT"])
        self.addCleanup(self.dynamo.close)

    def test_facts(self):
        """A second request returns the same."""
        with open(match_facts.PATH, encoding="utf-8") as file:
            self.assertEqual(file.read(), match_facts.header(self.dynamo))

    def test_negation(self):
        """NOT selects exactly the others."""
        everything = set(range(len(match_facts.fill(self.dynamo))))
        for _, _, operands, expression in match_facts.conditions():
            numbers = match_facts.selected(self.dynamo, expression, operands)
            if numbers is not None:
                self.assertEqual(match_facts.selected(self.dynamo, f"NOT ({expression})", operands), everything - numbers, expression)
        self.dynamo.drop_table(match_facts.TABLE)


if __name__ == "__main__":
    unittest.main()
