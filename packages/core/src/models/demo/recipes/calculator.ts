import { source } from "../source.ts"
import { toolRecipe } from "../tools/recipe.ts"

export const calculator = toolRecipe({
  title: "Calculator",
  words: /\b(calculat\w*|arithmetic|math expressions?)\b/i,
  kind: "page",
  summary: "Works out arithmetic with brackets, powers and decimals.",
  features: ["Understands + - * / ^, brackets, signs and decimals", "Says what is wrong with an expression"],
  module: "calculator",
  call: { script: "evaluate", python: "evaluate" },
  input: { name: "expression", label: "Expression", rows: 1 },
  route: "calculate",
  shows: "text",
  example: { input: "2 * (3 + 4)", result: 14 },
  refuses: "2 +",
  script: {
    exports: ["evaluate"],
    module: source`
      /** The value of an expression such as "2 * (3 + 4)". Knows + - * / ^, brackets, signs and decimals. */
      export function evaluate(expression‹: string›)‹: number› {
        const tokens = expression.match(/\d+\.?\d*|\.\d+|\S/g) ?? []
        let next = 0

        function take(...wanted‹: string[]›) {
          return wanted.includes(tokens[next] ?? "") ? tokens[next++] : undefined
        }

        function sum()‹: number› {
          let value = product()
          for (let sign = take("+", "-"); sign; sign = take("+", "-")) {
            value += sign === "+" ? product() : -product()
          }
          return value
        }

        function product()‹: number› {
          let value = signed()
          for (let sign = take("*", "/"); sign; sign = take("*", "/")) {
            value *= sign === "*" ? signed() : 1 / signed()
          }
          return value
        }

        function signed()‹: number› {
          return take("-") ? -signed() : power()
        }

        function power()‹: number› {
          const base = atom()
          return take("^") ? base ** signed() : base
        }

        function atom()‹: number› {
          if (take("(")) {
            const value = sum()
            if (!take(")")) throw new Error("A closing bracket is missing.")
            return value
          }
          const token = tokens[next++]
          if (token === undefined) throw new Error("The expression ends too early.")
          if (!/\d/.test(token)) throw new Error(\`"\${token}" was not expected here.\`)
          return Number(token)
        }

        const value = sum()
        if (next < tokens.length) throw new Error(\`"\${tokens[next]}" was not expected here.\`)
        if (!Number.isFinite(value)) throw new Error("The result is not a number.")
        return Number(value.toPrecision(12))
      }
    `,
    tests: source`
      test("multiplies before it adds", () => {
        assert.equal(evaluate("2 + 3 * 4"), 14)
        assert.equal(evaluate("2 * (3 + 4)"), 14)
      })

      test("goes from left to right, but powers from right to left", () => {
        assert.equal(evaluate("10 - 4 - 3"), 3)
        assert.equal(evaluate("24 / 4 / 2"), 3)
        assert.equal(evaluate("2 ^ 3 ^ 2"), 512)
      })

      test("knows signs", () => {
        assert.equal(evaluate("-2 ^ 2"), -4)
        assert.equal(evaluate("3 - -2"), 5)
      })

      test("adds decimals as people do", () => {
        assert.equal(evaluate("0.1 + 0.2"), 0.3)
        assert.equal(evaluate(".5 * 4"), 2)
      })

      test("says what is wrong", () => {
        assert.throws(() => evaluate("2 +"), /ends too early/)
        assert.throws(() => evaluate("(2"), /bracket is missing/)
        assert.throws(() => evaluate("2 apples"), /"a" was not expected/)
        assert.throws(() => evaluate("1 / 0"), /not a number/)
        assert.throws(() => evaluate("10 ^ 400"), /not a number/)
      })
    `,
  },
  python: {
    exports: ["evaluate"],
    module: source`
      """Arithmetic with brackets, powers, signs and decimals."""

      import math
      import re


      def evaluate(expression):
          """The value of an expression such as "2 * (3 + 4)"; a ValueError says what is wrong with it."""
          tokens = Tokens(expression)
          try:
              value = sum_of(tokens)
          except (ZeroDivisionError, OverflowError):
              raise ValueError("The result is not a number.") from None
          except RecursionError:
              raise ValueError("There are too many brackets in brackets.") from None
          if tokens.left():
              raise ValueError(f'"{tokens.take()}" was not expected here.')
          if isinstance(value, complex) or not math.isfinite(value):
              raise ValueError("The result is not a number.")
          value = float(f"{value:.12g}")
          return int(value) if value.is_integer() else value


      class Tokens:
          def __init__(self, expression):
              self._tokens = re.findall(r"\d+\.?\d*|\.\d+|\S", expression)

          def left(self):
              return len(self._tokens)

          def take(self, wanted=None):
              """The next token, if there is one and it is wanted."""
              if not self._tokens or (wanted is not None and self._tokens[0] not in wanted):
                  return None
              return self._tokens.pop(0)


      def sum_of(tokens):
          value = product_of(tokens)
          while sign := tokens.take("+-"):
              value = value + product_of(tokens) if sign == "+" else value - product_of(tokens)
          return value


      def product_of(tokens):
          value = signed(tokens)
          while sign := tokens.take("*/"):
              value = value * signed(tokens) if sign == "*" else value / signed(tokens)
          return value


      def signed(tokens):
          return -signed(tokens) if tokens.take("-") else power_of(tokens)


      def power_of(tokens):
          base = atom(tokens)
          return base ** signed(tokens) if tokens.take("^") else base


      def atom(tokens):
          if tokens.take("("):
              value = sum_of(tokens)
              if not tokens.take(")"):
                  raise ValueError("A closing bracket is missing.")
              return value
          token = tokens.take()
          if token is None:
              raise ValueError("The expression ends too early.")
          if not re.search(r"\d", token):
              raise ValueError(f'"{token}" was not expected here.')
          return float(token)
    `,
    tests: source`
      def test_multiplies_before_it_adds(self):
          self.assertEqual(evaluate("2 + 3 * 4"), 14)
          self.assertEqual(evaluate("2 * (3 + 4)"), 14)

      def test_goes_from_left_to_right_but_powers_from_right_to_left(self):
          self.assertEqual(evaluate("10 - 4 - 3"), 3)
          self.assertEqual(evaluate("24 / 4 / 2"), 3)
          self.assertEqual(evaluate("2 ^ 3 ^ 2"), 512)

      def test_knows_signs(self):
          self.assertEqual(evaluate("-2 ^ 2"), -4)
          self.assertEqual(evaluate("3 - -2"), 5)

      def test_adds_decimals_as_people_do(self):
          self.assertEqual(evaluate("0.1 + 0.2"), 0.3)
          self.assertEqual(evaluate(".5 * 4"), 2)

      def test_says_what_is_wrong(self):
          for expression, reason in [
              ("2 +", "ends too early"),
              ("(2", "bracket is missing"),
              ("2 apples", '"a" was not expected'),
              ("1 / 0", "not a number"),
              ("10 ^ 400", "not a number"),
          ]:
              with self.assertRaisesRegex(ValueError, reason):
                  evaluate(expression)
    `,
  },
})
