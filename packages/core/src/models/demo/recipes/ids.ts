import { source } from "../source.ts"
import { toolRecipe } from "../tools/recipe.ts"

export const ids = toolRecipe({
  title: "ID Generator",
  words:
    /\b(uu|ul)?ids? gen\w*|\b(identifiers?|tokens?) gen\w*|\bgenerat\w* (random |unique |short )*((uu|ul)?ids?|tokens?|identifiers?)\b|\buuids?\b/i,
  kind: "library",
  summary: "Makes short random IDs that are safe in URLs and file names.",
  features: ["Uses the system's secure randomness", "Lower case letters and digits only, none that look alike"],
  module: "ids",
  call: { script: "generateId", python: "generate_id" },
  input: { name: "length", label: "Length", rows: 1 },
  route: "generate",
  shows: "text",
  example: { input: "16", length: 16 },
  refuses: "0",
  script: {
    exports: ["generateId"],
    module: source`
      /** No i, l, o or 0, which are hard to tell apart. There are 32 characters, so each adds five bits of chance. */
      const alphabet = "abcdefghjkmnpqrstuvwxyz123456789"

      /** A random ID: with 16 characters, a billion of them have one chance in two million to hold a pair of the same. */
      export function generateId(length‹: string | number› = 16)‹: string› {
        const size = Number(length)
        if (!Number.isInteger(size) || size < 4 || size > 64) throw new Error("The length must be from 4 to 64.")
        const bytes = crypto.getRandomValues(new Uint8Array(size))
        return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
      }
    `,
    tests: source`
      test("is as long as asked", () => {
        assert.equal(generateId(4).length, 4)
        assert.equal(generateId("64").length, 64)
        assert.equal(generateId().length, 16)
      })

      test("is safe in URLs and file names, and easy to read", () => {
        assert.match(generateId(64), /^[a-hjkmnp-z1-9]+$/)
      })

      test("is never the same twice", () => {
        const ids = Array.from({ length: 1000 }, () => generateId())
        assert.equal(new Set(ids).size, 1000)
      })

      test("refuses what is too short, too long or no number", () => {
        for (const length of [3, 65, 4.5, "long"]) assert.throws(() => generateId(length), /from 4 to 64/)
      })
    `,
  },
  python: {
    exports: ["generate_id"],
    module: source`
      """Short random IDs."""

      import secrets

      # No i, l, o or 0, which are hard to tell apart. There are 32 characters, so each adds five bits of chance.
      ALPHABET = "abcdefghjkmnpqrstuvwxyz123456789"


      def generate_id(length=16):
          """A random ID that is safe in URLs and file names. The length may be text, as people type it."""
          if not str(length).isdecimal() or not 4 <= int(length) <= 64:
              raise ValueError("The length must be from 4 to 64.")
          return "".join(secrets.choice(ALPHABET) for _ in range(int(length)))
    `,
    tests: source`
      def test_is_as_long_as_asked(self):
          self.assertEqual(len(generate_id(4)), 4)
          self.assertEqual(len(generate_id("64")), 64)
          self.assertEqual(len(generate_id()), 16)

      def test_is_safe_in_urls_and_file_names_and_easy_to_read(self):
          self.assertRegex(generate_id(64), "^[a-hjkmnp-z1-9]+$")

      def test_is_never_the_same_twice(self):
          self.assertEqual(len({generate_id() for _ in range(1000)}), 1000)

      def test_refuses_what_is_too_short_too_long_or_no_number(self):
          for length in [3, 65, 4.5, "long"]:
              with self.assertRaisesRegex(ValueError, "from 4 to 64"):
                  generate_id(length)
    `,
  },
})
