import type { Recipe } from "../project.ts"

/** A page that presents something: also what a page becomes whose prompt names no known topic. */
export const landing: Recipe = {
  title: "Landing Page",
  pattern: /\b(landing|portfolio|home ?page|about page|cv|resume)\b/i,
  kind: "page",
  only: "page",
  summary: "A page that says what something is, why it is good, and takes a name and an address.",
  features: () => [
    "A heading, three reasons and a form that checks what is typed",
    "Readable in light and dark, on a phone and on a desk",
  ],
  folders: ["landing", "page"],
  module: "sign-up",
  purposes: { module: () => "Checks a sign-up.", tests: "Tests for the module.", command: "" },
  replacements: () => ({}),
}
