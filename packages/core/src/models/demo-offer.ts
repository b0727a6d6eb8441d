/** Describes the apps that the demo model can build, for people who choose it or are about to use it. */
export const demoOffer =
  "It builds small apps by rule: to-do lists, notes, trackers and other lists, timers, quizzes, calculators, word counters, password generators, URL shorteners and landing pages, as web pages, REST APIs, command-line tools or libraries in JavaScript or TypeScript."

/** Sample prompts that the demo model understands. */
export const demoExamples = [
  "A to-do list with a due date and a priority, in green",
  "A landing page for a coffee shop called Blue Door, in brown and cream",
  "A REST API for books with title, author and year, and its tests",
] as const
