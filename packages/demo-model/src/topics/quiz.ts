import type { Recipe } from "../project.ts"
import { phrases } from "../prompt-words.ts"
import { recipeFiles } from "../recipe-files.ts"
import { quoted, type Substitutions } from "../substitute.ts"

export const quiz = quizRecipe("Quiz", ["general knowledge quiz", "trivia quiz", "quiz", "quiz app", "trivia"])

export const capitalsQuiz = quizRecipe(
  "Capitals Quiz",
  phrases(`
    quiz about capitals, quiz on capitals, quiz about capital cities, capitals quiz, geography quiz,
    quiz about geography, quiz on geography, quiz about european capitals, quiz about the capitals of europe
  `),
  [
    ["What is the capital of Portugal?", "Lisbon", "Porto", "Madrid"],
    ["What is the capital of Finland?", "Oslo", "Helsinki", "Tallinn"],
    ["What is the capital of Australia?", "Sydney", "Melbourne", "Canberra"],
    ["What is the capital of Canada?", "Toronto", "Ottawa", "Montreal"],
    ["What is the capital of Kenya?", "Nairobi", "Kampala", "Mombasa"],
  ],
  ["Lisbon", "Helsinki", "Canberra", "Ottawa", "Nairobi"],
)

export const spaceQuiz = quizRecipe(
  "Space Quiz",
  phrases(`
    quiz about space, quiz about planets, quiz about the planets, space quiz, planet quiz, quiz on space,
    quiz about the solar system, astronomy quiz, quiz about astronomy, quiz on planets
  `),
  [
    ["Which planet is the largest?", "Saturn", "Jupiter", "Neptune"],
    ["Which planet is nearest to the Sun?", "Venus", "Mars", "Mercury"],
    ["How many moons has Mars?", "None", "One", "Two"],
    ["Which planet spins on its side?", "Uranus", "Earth", "Venus"],
    ["Who was first to walk on the Moon?", "Buzz Aldrin", "Neil Armstrong", "Yuri Gagarin"],
  ],
  ["Jupiter", "Mercury", "Two", "Uranus", "Neil Armstrong"],
)

type Asked = [question: string, ...answers: [string, string, string]]

function quizRecipe(title: string, named: string[], asked: Asked[] = [], right: string[] = []): Recipe {
  return {
    ...{ title, phrases: named },
    does: phrases(`
      questions, question, answer, answers, score, scores, points, multiple choice, five questions, 5 questions,
      counts, right, correct, right answers, ask, asks, general knowledge
    `),
    kind: "page",
    kinds: ["page"],
    summary: "Asks five questions one by one, and counts the right answers.",
    features: () => [
      "Five questions with three answers each, in one list that is easy to change",
      "Says after each answer whether it is right; works with a keyboard, on a phone, in light and dark",
    ],
    folders: ["quiz", "page"],
    module: "quiz",
    purposes: {
      module: () => "The questions, and the score.",
      tests: "Tests for the questions and the score.",
      command: "",
    },
    choices: {},
    ownFields: [],
    substitutions: () => questionLines(asked, right),
  }
}

/** The questions of the recipe, and this quiz's own. */
function questionLines(asked: Asked[], right: string[]): Substitutions {
  const [, recipes = ""] = (recipeFiles["quiz/quiz.js"] ?? "").split(/questions = \[\n|\n\]\n/)
  const lines = asked.map(([text, ...answers], index) => {
    const listed = answers.map(quoted).join(", ")
    return `  { text: ${quoted(text)}, answers: [${listed}], right: ${quoted(right[index] ?? "")} },`
  })
  return lines.length > 0 ? { [recipes]: lines.join("\n") } : {}
}
