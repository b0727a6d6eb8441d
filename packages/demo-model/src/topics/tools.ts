import { phrases } from "../prompt-words.ts"
import { toolRecipe } from "../tool.ts"

const SENTENCES = "It's late. The lights of the harbour go out, one by one."

export const textStats = toolRecipe({
  title: "Word Counter",
  phrases: phrases(`
    word counter, word count, word counts, character counter, letter counter, text statistics, counts words, count
    words, counting words, text analyser, text analyzer, how many words, number of words, count characters, count
    letters, counts characters, counts letters, word and character counter, word and letter counter, word counting,
    wortzähler, wörter zählen, compteur de mots, compter les mots, contador de palabras, contar palabras
  `),
  does: phrases(`
    words, characters, letters, lines, sentences, count, counts, text, reading time, file, pipe, while typing, as i
    type, while i type, in a text, paste, see, tells, shows, number
  `),
  summary: "Counts the words, characters, sentences and lines of a text.",
  features: ["Counts words in any script", "Estimates how many minutes a text takes to read"],
  module: "text-stats",
  call: "textStats",
  input: { name: "text", label: "Your text" },
  verb: "count",
  example: {
    input: SENTENCES,
    matches: 'words"?: 12',
    shown: "{ words: 12, characters: 56, sentences: 2, lines: 1, minutes: 1 }",
  },
  refuses: "?!",
  differences: {
    'import { readFileSync } from "node:fs"\nimport { shout }':
      'import { readFileSync } from "node:fs"\nimport { inLines, shout }',
    "String(shout(phrase))": "inLines(shout(phrase))",
    "String(shout(input.value))": "inLines(shout(input.value))",
    HTMLInputElement: "HTMLTextAreaElement",
    '<input id="phrase" value="so it is" autocomplete="off" />': `<textarea id="phrase" rows="8">${SENTENCES}</textarea>`,
  },
})

export const calculator = toolRecipe({
  title: "Calculator",
  phrases: phrases(`
    calculator, calc, arithmetic, calculator app, pocket calculator, math calculator, maths calculator, evaluates
    math, evaluate math, taschenrechner, rechner, calculatrice, calculette, calculadora
  `),
  does: phrases(`
    calculate, calculates, evaluate, evaluates, sums, math, maths, calculations, plus, minus, times, four function,
    operations, brackets, add, subtract, multiply, divide, decimals, powers, numbers, expressions, expression
  `),
  summary: "Works out arithmetic with brackets, powers and decimals.",
  features: ["Understands + - * / ^, brackets, signs and decimals", "Says what is wrong with an expression"],
  module: "calculator",
  call: "evaluate",
  input: { name: "expression", label: "Expression" },
  verb: "calculate",
  example: { input: "2 * (3 + 4)", matches: "14", shown: "14" },
  refuses: "2 +",
})

export const passwords = toolRecipe({
  title: "Password Generator",
  phrases: phrases(`
    password generator, passphrase generator, password maker, generates passwords, generate passwords, random
    passwords, random password generator, random password, passwords generator, passwords maker, password creator,
    generate password, generates password, create passwords, creates passwords, create password, make passwords, makes
    passwords, make password, strong passwords, secure passwords, secure random passwords, strong random passwords,
    passwort generator, passwortgenerator, générateur de mots de passe, générateur de mot de passe, generador de
    contraseñas, generador de contraseña
  `),
  does: phrases("strong, random, secure, safe, passwords, password, length, adjustable, generates"),
  summary: "Makes random passwords that are strong and can be read aloud.",
  features: [
    "Uses the system's secure randomness",
    "Leaves out letters that look alike; mixes all kinds of characters",
  ],
  module: "passwords",
  call: "generatePassword",
  input: { name: "length", label: "Length" },
  verb: "generate",
  example: { input: "20", matches: ".{20}", shown: "a new one each time" },
  refuses: "4",
})

export const timer = toolRecipe({
  title: "Timer",
  phrases: phrases(`
    countdown timer, pomodoro timer, egg timer, kitchen timer, timer, countdown, pomodoro, timer app, pomodoro app,
    workout timer, tea timer, cooking timer, meditation timer, countdown clock, focus timer, study timer, eieruhr,
    minuteur, temporizador, cuenta atrás, compte à rebours
  `),
  does: phrases(`
    start, pause, reset, counts down, count down, minute, minutes, seconds, hours, stop, starts, pauses, focus, study,
    studying, clock, tea, eggs, cooking, workout, exercise, yoga, meditation, work, session, sessions, exam, 1, 2, 3,
    5, 10, 15, 20, 25, 30, 45, 60, 90
  `),
  kinds: ["page", "cli", "library"],
  summary: "Understands times such as “25m” or “1h 30m”, and counts them down.",
  features: ["Reads hours, minutes and seconds as people write them", "Shows the time left as a clock"],
  module: "timer",
  call: "parseTime",
  input: { name: "time", label: "How long" },
  verb: "read",
  example: { input: "1h 30m", matches: "5400", shown: "5400" },
  refuses: "soon",
})
