import { phrases } from "../prompt-words.ts"
import { toolRecipe } from "../tool.ts"

export const textStats = toolRecipe({
  title: "Word Counter",
  phrases: phrases(`
    word counter, word count, word counts, character counter, letter counter, text statistics, counts words,
    count words, counting words, text analyser, text analyzer
  `),
  does: phrases(`
    words, characters, letters, lines, sentences, count, counts, text, reading time, file, pipe, while typing, as i type, while i type,
    in a text, paste
  `),
  kind: "page",
  summary: "Counts the words, characters, sentences and lines of a text.",
  features: ["Counts words in any script", "Estimates how many minutes a text takes to read"],
  module: "text-stats",
  call: { script: "textStats", python: "text_stats" },
  input: { name: "text", label: "Your text" },
  route: "count",
  example: {
    input: "It's late. The lights of the harbour go out, one by one.",
    result: { words: 12, characters: 56, sentences: 2, lines: 1, minutes: 1 },
  },
})

export const calculator = toolRecipe({
  title: "Calculator",
  phrases: ["calculator", "arithmetic", "calculator app", "pocket calculator"],
  does: phrases(`
    calculate, calculates, brackets, add, subtract, multiply, divide, decimals, powers, numbers, expressions,
    expression
  `),
  kind: "page",
  summary: "Works out arithmetic with brackets, powers and decimals.",
  features: ["Understands + - * / ^, brackets, signs and decimals", "Says what is wrong with an expression"],
  module: "calculator",
  call: { script: "evaluate", python: "evaluate" },
  input: { name: "expression", label: "Expression" },
  route: "calculate",
  example: { input: "2 * (3 + 4)", result: 14 },
  refuses: "2 +",
})

export const passwords = toolRecipe({
  title: "Password Generator",
  phrases: phrases(`
    password generator, passphrase generator, password maker, generates passwords, generate passwords,
    random passwords, random password generator
  `),
  does: ["strong", "random", "secure", "passwords", "password", "length"],
  kind: "page",
  summary: "Makes random passwords that are strong and can be read aloud.",
  features: [
    "Uses the system's secure randomness",
    "Leaves out letters that look alike; mixes all kinds of characters",
  ],
  module: "passwords",
  call: { script: "generatePassword", python: "generate_password" },
  input: { name: "length", label: "Length" },
  route: "generate",
  example: { input: "20", length: 20 },
  refuses: "4",
})

export const ids = toolRecipe({
  title: "ID Generator",
  phrases: phrases(`
    id generator, uuid generator, token generator, generates unique ids, generates ids, generate ids, unique ids,
    random ids
  `),
  does: phrases("unique, random, short, ids, id, safe, length"),
  kind: "library",
  summary: "Makes short random IDs that are safe in URLs and file names.",
  features: ["Uses the system's secure randomness", "Lower case letters and digits only, none that look alike"],
  module: "ids",
  call: { script: "generateId", python: "generate_id" },
  input: { name: "length", label: "Length" },
  route: "generate",
  example: { input: "16", length: 16 },
  refuses: "0",
})

export const markdown = toolRecipe({
  title: "Markdown Renderer",
  phrases: phrases(`
    markdown renderer, markdown to html converter, markdown to html, markdown editor, markdown preview,
    markdown previewer, markdown parser, markdown
  `),
  does: phrases("html, turns, render, renders, preview, converter, headings, lists, links, live, safe, text"),
  kind: "page",
  summary: "Turns Markdown into safe HTML.",
  features: [
    "Headings, lists, quotes, code, emphasis and links",
    "Escapes everything else, so no text can smuggle HTML in",
  ],
  module: "markdown",
  call: { script: "renderMarkdown", python: "render_markdown" },
  input: { name: "text", label: "Markdown" },
  route: "render",
  example: { input: "# Hello\n\nSome *quiet* words.", result: "<h1>Hello</h1>\n<p>Some <em>quiet</em> words.</p>" },
  differences: {
    HTMLInputElement: "HTMLTextAreaElement",
    "answer.textContent = String(shout(input.value))": "answer.innerHTML = shout(input.value)",
  },
})

export const converter = toolRecipe({
  title: "Unit Converter",
  phrases: phrases(`
    unit converter, units converter, temperature converter, length converter, weight converter,
    converter for units, celsius to fahrenheit, fahrenheit to celsius, celsius to fahrenheit converter,
    converts units, convert units
  `),
  does: phrases(`
    units, unit, temperature, temperatures, length, lengths, weight, weights, volume, volumes, metric, imperial,
    celsius, fahrenheit, kelvin, convert, converts, converter, metres, feet, kilograms, pounds, km, miles, kilometres, kilometers, inches, litres
  `),
  kind: "page",
  summary: "Converts temperatures, lengths, weights and volumes, as in “20 C to F”.",
  features: [
    "Celsius, Fahrenheit and Kelvin; metric and imperial units",
    "One line of table per unit, so adding one is easy",
  ],
  module: "converter",
  call: { script: "convert", python: "convert" },
  input: { name: "question", label: "What to convert" },
  route: "convert",
  example: { input: "20 C to F", result: "68 F" },
  refuses: "20 C to kg",
})

export const timer = toolRecipe({
  title: "Timer",
  phrases: phrases(`
    countdown timer, pomodoro timer, egg timer, kitchen timer, timer, countdown, pomodoro, timer app
  `),
  does: phrases(`
    start, pause, reset, counts down, count down, minutes, seconds, hours, stop, 25 minutes, starts, pauses
  `),
  kind: "page",
  summary: "Understands times such as “25m” or “1h 30m”, and counts them down.",
  features: ["Reads hours, minutes and seconds as people write them", "Shows the time left as a clock"],
  module: "timer",
  call: { script: "readTimer", python: "read_timer" },
  input: { name: "time", label: "How long" },
  route: "read",
  example: { input: "1h 30m", result: { seconds: 5400, clock: "1:30:00" } },
  refuses: "soon",
  ownCommand: true,
})

export const slugs = toolRecipe({
  title: "Slug Generator",
  phrases: ["slug generator", "slugify", "slugs", "slug maker", "slug", "turns titles into slugs"],
  does: phrases("text, titles, urls, turns, turn, into, url, safe"),
  kind: "library",
  summary: "Turns any text into a short name for URLs and files.",
  features: ["Writes letters with accents without them", "Keeps the letters of every script"],
  module: "slugs",
  call: { script: "slugify", python: "slugify" },
  input: { name: "text", label: "Text" },
  route: "slugify",
  example: { input: "Crème brûlée, for two!", result: "creme-brulee-for-two" },
  refuses: "?!",
})
