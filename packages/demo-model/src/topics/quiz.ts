import type { Recipe } from "../project.ts"
import { phrases } from "../prompt-words.ts"
import { recipeFiles } from "../recipe-files.ts"
import { quoted, type Substitutions } from "../substitute.ts"

export const quiz = quizRecipe(
  "Quiz",
  `general knowledge quiz, trivia quiz, quiz, quizz, quiz app, quiz game, trivia, trivia game, trivia app, pub quiz,
  multiple choice test, knowledge test, questionnaire à choix multiple, cuestionario, juego de preguntas`,
)

export const capitalsQuiz = quizRecipe(
  "Capitals Quiz",
  `quiz about capitals, quiz on capitals, quiz about capital cities, capitals quiz, geography quiz, quiz about
  geography, quiz on geography, capital cities quiz, quiz on capital cities, quiz about european capitals, quiz
  about capitals of europe`,
  [
    ["What is the capital of Portugal?", "Lisbon", "Lisbon", "Porto", "Madrid"],
    ["What is the capital of Finland?", "Helsinki", "Oslo", "Helsinki", "Tallinn"],
    ["What is the capital of Australia?", "Canberra", "Sydney", "Melbourne", "Canberra"],
    ["What is the capital of Canada?", "Ottawa", "Ottawa", "Toronto", "Montreal"],
    ["What is the capital of Kenya?", "Nairobi", "Nairobi", "Kampala", "Mombasa"],
  ],
)

export const spaceQuiz = quizRecipe(
  "Space Quiz",
  `quiz about space, quiz about planets, space quiz, planet quiz, quiz on space, quiz about solar system, quiz on
  solar system, solar system quiz, planets quiz, astronomy quiz, quiz about astronomy, quiz on planets`,
  [
    ["Which planet is the largest?", "Jupiter", "Saturn", "Jupiter", "Neptune"],
    ["Which planet is nearest to the Sun?", "Mercury", "Venus", "Mars", "Mercury"],
    ["How many moons has Mars?", "Two", "None", "One", "Two"],
    ["Which planet spins on its side?", "Uranus", "Uranus", "Earth", "Venus"],
    ["Who was first to walk on the Moon?", "Armstrong", "Aldrin", "Armstrong", "Gagarin"],
  ],
)

type Question = [text: string, right: string, ...answers: string[]]

/** A quiz with the given questions, or otherwise the recipe's own. */
function quizRecipe(title: string, named: string, questions: Question[] = []): Recipe {
  return {
    ...{ title, phrases: phrases(named) },
    does: phrases(`
      questions, question, answer, answers, score, scores, points, multiple choice, five questions, 5 questions,
      counts, right, correct, right answers, solar system, planets, game, ask, asks, general knowledge
    `),
    kinds: ["page"],
    summary: "Asks five questions one by one, and counts the right answers.",
    features: () => [
      "Five questions with three answers each, in one list that is easy to change",
      "Says after each answer whether it is right; works with a keyboard, on a phone, in light and dark",
    ],
    folders: ["quiz"],
    module: "quiz",
    purpose: "The questions, and the score.",
    choices: {},
    fields: [],
    substitutions: () => (questions.length > 0 ? questionLines(questions) : {}),
  }
}

function questionLines(questions: Question[]): Substitutions {
  const [, generalKnowledge = ""] = (recipeFiles["quiz/quiz.js"] ?? "").split(/questions = \[\n|\n\]\n/)
  const lines = questions.map(
    ([text, right, ...answers]) =>
      `  { text: ${quoted(text)}, answers: [${answers.map(quoted).join(", ")}], right: ${quoted(right)} },`,
  )
  return { [generalKnowledge]: lines.join("\n") }
}
