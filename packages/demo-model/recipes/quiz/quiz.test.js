import assert from "node:assert/strict"
import { test } from "node:test"
import { createQuiz, questions } from "./quiz.js"

test("has the right answer among the answers of each question", () => {
  assert.ok(questions.length > 2)
  for (const { text, answers, right } of questions) {
    assert.ok(answers.includes(right), text)
    assert.equal(new Set(answers).size, answers.length, text)
  }
})

test("counts the right answers of a round", () => {
  const quiz = createQuiz()
  for (const { right } of questions) assert.equal(quiz.answer(right), true)
  assert.deepEqual(quiz.progress(), { answered: questions.length, score: questions.length, total: questions.length })
  assert.equal(quiz.current(), undefined)
})

test("goes on after a wrong answer, which counts nothing", () => {
  const quiz = createQuiz()
  assert.equal(quiz.answer("No idea"), false)
  assert.equal(quiz.current(), questions[1])
  assert.equal(quiz.progress().score, 0)
})
