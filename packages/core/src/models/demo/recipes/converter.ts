import { source } from "../source.ts"
import { toolRecipe } from "../tools/recipe.ts"

export const converter = toolRecipe({
  title: "Unit Converter",
  words:
    /\b(convert(er|ers|or)|(units?|temperature|length|weight|currency)[- ]conver\w*|temperatures?|celsius|fahrenheit)\b/i,
  kind: "cli",
  summary: "Converts temperatures, lengths, weights and volumes, as in “20 C to F”.",
  features: [
    "Celsius, Fahrenheit and Kelvin; metric and imperial units",
    "One line of table per unit, so adding one is easy",
  ],
  module: "converter",
  call: { script: "convert", python: "convert" },
  input: { name: "question", label: "What to convert", rows: 1 },
  route: "convert",
  shows: "text",
  example: { input: "20 C to F", result: "68 F" },
  refuses: "20 C to kg",
  script: {
    exports: ["convert"],
    module: source`
      ‹interface Unit {
        kind: string
        /** How much of the kind's base unit (°C, m, kg, l) one of this unit is. */
        scale: number
        /** What to add after scaling, where zero is not zero. */
        offset?: number
      }

      ›const units‹: Record<string, Unit>› = {
        c: { kind: "temperature", scale: 1 },
        f: { kind: "temperature", scale: 5 / 9, offset: -160 / 9 },
        k: { kind: "temperature", scale: 1, offset: -273.15 },

        mm: { kind: "length", scale: 0.001 },
        cm: { kind: "length", scale: 0.01 },
        m: { kind: "length", scale: 1 },
        km: { kind: "length", scale: 1000 },
        in: { kind: "length", scale: 0.0254 },
        ft: { kind: "length", scale: 0.3048 },
        yd: { kind: "length", scale: 0.9144 },
        mi: { kind: "length", scale: 1609.344 },

        g: { kind: "weight", scale: 0.001 },
        kg: { kind: "weight", scale: 1 },
        oz: { kind: "weight", scale: 0.028349523125 },
        lb: { kind: "weight", scale: 0.45359237 },

        ml: { kind: "volume", scale: 0.001 },
        l: { kind: "volume", scale: 1 },
        gal: { kind: "volume", scale: 3.785411784 },
      }

      /** Answers a question such as "20 C to F" with "68 F". */
      export function convert(question‹: string›)‹: string› {
        const [, amount, from = "", to = ""] =
          question.match(/^\s*(-?\d+(?:\.\d+)?)\s*°?([a-z]+)\s+(?:to|in)\s+°?([a-z]+)\s*$/i) ?? []
        if (amount === undefined) throw new Error('Ask like this: "20 C to F".')

        const source = unit(from)
        const target = unit(to)
        if (source.kind !== target.kind) throw new Error(\`\${from} is a \${source.kind}, but \${to} is a \${target.kind}.\`)

        const base = Number(amount) * source.scale + (source.offset ?? 0)
        const value = (base - (target.offset ?? 0)) / target.scale
        return \`\${Number(value.toFixed(4))} \${to}\`
      }

      function unit(name‹: string›)‹: Unit› {
        const found = Object.hasOwn(units, name.toLowerCase()) && units[name.toLowerCase()]
        if (!found) throw new Error(\`There is no unit "\${name}" here. There are: \${Object.keys(units).join(", ")}.\`)
        return found
      }
    `,
    tests: source`
      test("converts temperatures", () => {
        assert.equal(convert("20 C to F"), "68 F")
        assert.equal(convert("-40 °F in °C"), "-40 C")
        assert.equal(convert("0 K to C"), "-273.15 C")
      })

      test("converts lengths, weights and volumes", () => {
        assert.equal(convert("1 mi to km"), "1.6093 km")
        assert.equal(convert("10 cm in in"), "3.937 in")
        assert.equal(convert("1 kg to lb"), "2.2046 lb")
        assert.equal(convert("2 l to ml"), "2000 ml")
      })

      test("comes back to where it was", () => {
        assert.equal(convert(convert("12.5 C to F").replace("F", "F to C")), "12.5 C")
      })

      test("says what is wrong", () => {
        assert.throws(() => convert("20 C to kg"), /C is a temperature, but kg is a weight/)
        assert.throws(() => convert("20 C to bananas"), /no unit "bananas"/)
        assert.throws(() => convert("hello"), /Ask like this/)
      })
    `,
  },
  python: {
    exports: ["convert"],
    module: source`
      """Converts temperatures, lengths, weights and volumes."""

      import re

      # Per unit: its kind, how much of the kind's base unit (°C, m, kg, l) it is, and what to add where zero is not zero.
      UNITS = {
          "c": ("temperature", 1, 0),
          "f": ("temperature", 5 / 9, -160 / 9),
          "k": ("temperature", 1, -273.15),
          "mm": ("length", 0.001, 0),
          "cm": ("length", 0.01, 0),
          "m": ("length", 1, 0),
          "km": ("length", 1000, 0),
          "in": ("length", 0.0254, 0),
          "ft": ("length", 0.3048, 0),
          "yd": ("length", 0.9144, 0),
          "mi": ("length", 1609.344, 0),
          "g": ("weight", 0.001, 0),
          "kg": ("weight", 1, 0),
          "oz": ("weight", 0.028349523125, 0),
          "lb": ("weight", 0.45359237, 0),
          "ml": ("volume", 0.001, 0),
          "l": ("volume", 1, 0),
          "gal": ("volume", 3.785411784, 0),
      }

      QUESTION = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*°?([a-z]+)\s+(?:to|in)\s+°?([a-z]+)\s*", re.IGNORECASE)


      def convert(question):
          """Answers a question such as "20 C to F" with "68 F"."""
          match = QUESTION.fullmatch(question)
          if not match:
              raise ValueError('Ask like this: "20 C to F".')
          amount, source, target = match.groups()
          source_kind, source_scale, source_offset = unit(source)
          target_kind, target_scale, target_offset = unit(target)
          if source_kind != target_kind:
              raise ValueError(f"{source} is a {source_kind}, but {target} is a {target_kind}.")
          base = float(amount) * source_scale + source_offset
          value = round((base - target_offset) / target_scale, 4)
          return f"{int(value) if value.is_integer() else value} {target}"


      def unit(name):
          if name.lower() not in UNITS:
              raise ValueError(f'There is no unit "{name}" here. There are: {", ".join(UNITS)}.')
          return UNITS[name.lower()]
    `,
    tests: source`
      def test_converts_temperatures(self):
          self.assertEqual(convert("20 C to F"), "68 F")
          self.assertEqual(convert("-40 °F in °C"), "-40 C")
          self.assertEqual(convert("0 K to C"), "-273.15 C")

      def test_converts_lengths_weights_and_volumes(self):
          self.assertEqual(convert("1 mi to km"), "1.6093 km")
          self.assertEqual(convert("10 cm in in"), "3.937 in")
          self.assertEqual(convert("1 kg to lb"), "2.2046 lb")
          self.assertEqual(convert("2 l to ml"), "2000 ml")

      def test_comes_back_to_where_it_was(self):
          self.assertEqual(convert(convert("12.5 C to F").replace("F", "F to C")), "12.5 C")

      def test_says_what_is_wrong(self):
          for question, reason in [
              ("20 C to kg", "C is a temperature, but kg is a weight"),
              ("20 C to bananas", 'no unit "bananas"'),
              ("hello", "Ask like this"),
          ]:
              with self.assertRaisesRegex(ValueError, reason):
                  convert(question)
    `,
  },
})
