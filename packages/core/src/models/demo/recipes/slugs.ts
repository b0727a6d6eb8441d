import { source } from "../source.ts"
import { toolRecipe } from "../tools/recipe.ts"

/** Also what a command or a library becomes whose prompt names no topic that the demo knows. */
export const slugs = toolRecipe({
  title: "Text Tool",
  words: /\bslug\w*/i,
  kind: "library",
  summary: "Turns any text into a short name for URLs and files.",
  features: ["Writes letters with accents without them", "Keeps the letters of every script"],
  module: "slugs",
  call: { script: "slugify", python: "slugify" },
  input: { name: "text", label: "Text", rows: 1 },
  route: "slugify",
  shows: "text",
  example: { input: "Crème brûlée, for two!", result: "creme-brulee-for-two" },
  refuses: "?!",
  script: {
    exports: ["slugify"],
    module: source`
      /** "Crème brûlée, for two!" is "creme-brulee-for-two". Cuts at a word when the slug would be too long. */
      export function slugify(text‹: string›, maxLength = 60)‹: string› {
        const plain = text.normalize("NFKD").replace(/\p{Diacritic}/gu, "")
        const words = plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
        if (words.length === 0) throw new Error("There is no letter or digit in this text.")

        const [first, ...rest] = words
        let slug = \`\${first}\`.slice(0, maxLength)
        for (const word of rest) {
          if (slug.length + 1 + word.length > maxLength) break
          slug += \`-\${word}\`
        }
        return slug
      }
    `,
    tests: source`
      test("joins words with hyphens", () => {
        assert.equal(slugify("  Hello, World!  "), "hello-world")
        assert.equal(slugify("a_b/c.d"), "a-b-c-d")
      })

      test("takes accents away and keeps other scripts", () => {
        assert.equal(slugify("Crème brûlée"), "creme-brulee")
        assert.equal(slugify("Привет мир"), "привет-мир")
      })

      test("cuts at a word", () => {
        assert.equal(slugify("one two three", 9), "one-two")
        assert.equal(slugify("x".repeat(100)).length, 60)
      })

      test("refuses a text without letters and digits", () => {
        assert.throws(() => slugify("?!"), /no letter or digit/)
      })
    `,
  },
  python: {
    exports: ["slugify"],
    module: source`
      """Short names for URLs and files."""

      import re
      import unicodedata


      def slugify(text, max_length=60):
          """Turns "Crème brûlée, for two!" into "creme-brulee-for-two"; cuts at a word when it would be too long."""
          letters = unicodedata.normalize("NFKD", text)
          plain = "".join(letter for letter in letters if not unicodedata.combining(letter)).lower()
          words = re.findall(r"[^\W_]+", plain)
          if not words:
              raise ValueError("There is no letter or digit in this text.")

          slug = words[0][:max_length]
          for word in words[1:]:
              if len(slug) + 1 + len(word) > max_length:
                  break
              slug += f"-{word}"
          return slug
    `,
    tests: source`
      def test_joins_words_with_hyphens(self):
          self.assertEqual(slugify("  Hello, World!  "), "hello-world")
          self.assertEqual(slugify("a_b/c.d"), "a-b-c-d")

      def test_takes_accents_away_and_keeps_other_scripts(self):
          self.assertEqual(slugify("Crème brûlée"), "creme-brulee")
          self.assertEqual(slugify("Привет мир"), "привет-мир")

      def test_cuts_at_a_word(self):
          self.assertEqual(slugify("one two three", 9), "one-two")
          self.assertEqual(len(slugify("x" * 100)), 60)

      def test_refuses_a_text_without_letters_and_digits(self):
          with self.assertRaisesRegex(ValueError, "no letter or digit"):
              slugify("?!")
    `,
  },
})
