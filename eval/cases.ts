/** A project to build, and changes to it, in order. */
export interface Case {
  name: string
  /** The first request builds the project, and each further one changes it. */
  requests: readonly string[]
}

/**
 * Ordinary requests in several languages. Each contains texts, numbers, paths or colors that the result must contain.
 */
export const cases: readonly Case[] = [
  {
    name: "page",
    requests: [
      'A landing page for a bakery called "Crumb & Daughter", in plain HTML and CSS. Its main colour is #7a3e1d. Show the opening hours "Tue to Sun, 7:00 to 14:00" and link to https://example.com/menu.',
      'Add a section with the heading "Gift cards" and a button "Buy one for €25".',
      'Show the address "12 Mill Lane" in the footer, and make the headings larger.',
    ],
  },
  {
    name: "todo",
    requests: [
      'A to-do list in plain HTML and JavaScript that remembers its items. The field has the placeholder "What next?", and the button says "Add it".',
      'Add a filter with the choices "All", "Open" and "Done".',
    ],
  },
  {
    name: "tool",
    requests: [
      "A command-line tool for Node without dependencies, with tests: `node count.js FILE` prints the number of lines, words and characters of a file. It exits with code 2 if the file doesn't exist.",
      "Add the option --json, which prints the three numbers as one JSON object, and test it.",
    ],
  },
  {
    name: "api",
    requests: [
      "A REST API for bookmarks for Node without dependencies, with tests. It listens on port 4310, or on PORT if that is set. Routes: /bookmarks and /bookmarks/:id. Keep the bookmarks in node:sqlite.",
      'Add the route /export, which returns all bookmarks as CSV with the first line "id,url,title", and test it.',
    ],
  },
  {
    name: "typescript",
    requests: [
      "A TypeScript library that parses durations such as 1h30m into milliseconds, with a build by tsc into dist and tests. It throws a RangeError for a negative duration.",
      "Support days and weeks, too, and add tests for them.",
    ],
  },
  {
    name: "python",
    requests: [
      "A Python module roman.py that converts numbers from 1 to 3999 to Roman numerals and back, with unittest tests. It raises ValueError for anything else.",
      "Add a command line to it: `python3 -m roman 14` prints XIV.",
    ],
  },
]
