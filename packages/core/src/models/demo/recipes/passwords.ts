import { source } from "../source.ts"
import { toolRecipe } from "../tools/recipe.ts"

export const passwords = toolRecipe({
  title: "Password Generator",
  words: /\bpass(words?|phrases?)\b/i,
  kind: "page",
  summary: "Makes random passwords that are strong and can be read aloud.",
  features: [
    "Uses the system's secure randomness",
    "Leaves out letters that look alike; mixes all kinds of characters",
  ],
  module: "passwords",
  call: { script: "generatePassword", python: "generate_password" },
  input: { name: "length", label: "Length", rows: 1 },
  route: "generate",
  shows: "text",
  example: { input: "20", length: 20 },
  refuses: "4",
  script: {
    exports: ["generatePassword"],
    module: source`
      /** No l, o, I, O, 0 or 1, which look alike. There are 64 characters, so each has exactly the same chance. */
      const kinds = ["abcdefghijkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "!#%+:=?@"]
      const alphabet = kinds.join("")

      /** A random password with characters of all four kinds. The length may be text, as people type it. */
      export function generatePassword(length‹: string | number›)‹: string› {
        const size = Number(length)
        if (!Number.isInteger(size) || size < 8 || size > 128) throw new Error("The length must be from 8 to 128.")
        for (;;) {
          const password = randomText(size)
          if (kinds.every((kind) => [...kind].some((character) => password.includes(character)))) return password
        }
      }

      function randomText(size‹: number›)‹: string› {
        const bytes = crypto.getRandomValues(new Uint8Array(size))
        return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
      }
    `,
    tests: source`
      test("is as long as asked", () => {
        assert.equal(generatePassword(8).length, 8)
        assert.equal(generatePassword("128").length, 128)
      })

      test("has characters of every kind, and none that look alike", () => {
        for (let turn = 0; turn < 100; turn += 1) {
          const password = generatePassword(8)
          for (const kind of [/[a-z]/, /[A-Z]/, /[2-9]/, /[!#%+:=?@]/]) assert.match(password, kind)
          assert.doesNotMatch(password, /[lo01IO]/)
        }
      })

      test("is never the same twice", () => {
        const passwords = Array.from({ length: 100 }, () => generatePassword(16))
        assert.equal(new Set(passwords).size, 100)
      })

      test("refuses what is too short, too long or no number", () => {
        for (const length of [7, 129, 8.5, "long"]) assert.throws(() => generatePassword(length), /from 8 to 128/)
      })
    `,
  },
  python: {
    exports: ["generate_password"],
    module: source`
      """Random passwords."""

      import secrets

      # No l, o, I, O, 0 or 1, which look alike.
      KINDS = ["abcdefghijkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "!#%+:=?@"]
      ALPHABET = "".join(KINDS)


      def generate_password(length):
          """A random password with characters of all four kinds. The length may be text, as people type it."""
          if not str(length).isdecimal() or not 8 <= int(length) <= 128:
              raise ValueError("The length must be from 8 to 128.")
          while True:
              password = "".join(secrets.choice(ALPHABET) for _ in range(int(length)))
              if all(set(kind) & set(password) for kind in KINDS):
                  return password
    `,
    tests: source`
      def test_is_as_long_as_asked(self):
          self.assertEqual(len(generate_password(8)), 8)
          self.assertEqual(len(generate_password("128")), 128)

      def test_has_characters_of_every_kind_and_none_that_look_alike(self):
          for _ in range(100):
              password = generate_password(8)
              for kind in ["[a-z]", "[A-Z]", "[2-9]", "[!#%+:=?@]"]:
                  self.assertRegex(password, kind)
              self.assertNotRegex(password, "[lo01IO]")

      def test_is_never_the_same_twice(self):
          self.assertEqual(len({generate_password(16) for _ in range(100)}), 100)

      def test_refuses_what_is_too_short_too_long_or_no_number(self):
          for length in [7, 129, 8.5, "long"]:
              with self.assertRaisesRegex(ValueError, "from 8 to 128"):
                  generate_password(length)
    `,
  },
})
