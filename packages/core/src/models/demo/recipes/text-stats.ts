import { source } from "../source.ts"
import { toolRecipe } from "../tools/recipe.ts"

export const textStats = toolRecipe({
  title: "Word Counter",
  words:
    /\b(word|character|letter|line|text)s?[- ](count\w*|stat\w*|analy\w*)|\bcount(s|ing)? (the |all )?(words?|characters?|letters?|lines?)\b|\breadability\b/i,
  kind: "cli",
  summary: "Counts the words, characters, sentences and lines of a text.",
  features: ["Counts words in any script", "Estimates how many minutes a text takes to read"],
  module: "text-stats",
  call: { script: "textStats", python: "text_stats" },
  input: { name: "text", label: "Your text", rows: 8 },
  route: "count",
  shows: "table",
  example: {
    input: "It's late. The lights of the harbour go out, one by one.",
    result: { words: 12, characters: 56, sentences: 2, lines: 1, minutes: 1 },
  },
  script: {
    exports: ["textStats"],
    module: source`
      const wordsPerMinute = 200

      /** What can be counted in a text. \`minutes\` is how long it takes to read, roughly. */
      export function textStats(text‹: string›) {
        const words = count(text, /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)
        return {
          words,
          characters: [...text].length,
          sentences: count(text, /[^.!?…\s][^.!?…]*/g),
          lines: text === "" ? 0 : text.trimEnd().split("\n").length,
          minutes: Math.ceil(words / wordsPerMinute),
        }
      }

      function count(text‹: string›, pattern‹: RegExp›) {
        return [...text.matchAll(pattern)].length
      }
    `,
    tests: source`
      test("counts words, apostrophes and hyphens included", () => {
        assert.equal(textStats("It's a well-known fact").words, 4)
        assert.equal(textStats("  spaces   only between  ").words, 3)
      })

      test("counts words and characters of any script", () => {
        assert.equal(textStats("Привет, мир").words, 2)
        assert.equal(textStats("👋 hi").characters, 4)
      })

      test("counts sentences and lines", () => {
        const { sentences, lines } = textStats("One. Two!\nThree? Yes...\n")
        assert.deepEqual({ sentences, lines }, { sentences: 4, lines: 2 })
      })

      test("rounds reading time up", () => {
        assert.equal(textStats("word ".repeat(201)).minutes, 2)
      })

      test("finds nothing in nothing", () => {
        assert.deepEqual(textStats(""), { words: 0, characters: 0, sentences: 0, lines: 0, minutes: 0 })
      })
    `,
  },
  python: {
    exports: ["text_stats"],
    module: source`
      """Counts what can be counted in a text."""

      import math
      import re

      WORDS_PER_MINUTE = 200


      def text_stats(text):
          """Words, characters, sentences, lines, and the minutes that the text takes to read, roughly."""
          words = len(re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text))
          return {
              "words": words,
              "characters": len(text),
              "sentences": len(re.findall(r"[^.!?…\s][^.!?…]*", text)),
              "lines": len(text.rstrip().split("\n")) if text else 0,
              "minutes": math.ceil(words / WORDS_PER_MINUTE),
          }
    `,
    tests: source`
      def test_counts_words_apostrophes_and_hyphens_included(self):
          self.assertEqual(text_stats("It's a well-known fact")["words"], 4)
          self.assertEqual(text_stats("  spaces   only between  ")["words"], 3)

      def test_counts_words_and_characters_of_any_script(self):
          self.assertEqual(text_stats("Привет, мир")["words"], 2)
          self.assertEqual(text_stats("👋 hi")["characters"], 4)

      def test_counts_sentences_and_lines(self):
          stats = text_stats("One. Two!\nThree? Yes...\n")
          self.assertEqual((stats["sentences"], stats["lines"]), (4, 2))

      def test_rounds_reading_time_up(self):
          self.assertEqual(text_stats("word " * 201)["minutes"], 2)

      def test_finds_nothing_in_nothing(self):
          self.assertEqual(set(text_stats("").values()), {0})
    `,
  },
})
