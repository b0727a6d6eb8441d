import { readIntent } from "@switchyard/demo-model/intent"
import { describe, expect, it } from "vitest"

function project(prompt: string) {
  const { project, refused } = readIntent(prompt)
  if (!project) throw refused
  return project
}
const made = (prompt: string) => {
  const { topic, kind, language } = project(prompt)
  return `${topic}/${kind}/${language}`
}
const refusalOf = (prompt: string) => readIntent(prompt).refused?.message ?? `built ${made(prompt)}`

describe("what a prompt asks for", () => {
  it.each([
    ["Build a tiny URL shortener with tests", "url-shortener/server/javascript"],
    ["Shorten URLs, as a JavaScript library", "url-shortener/library/javascript"],
    ["a REST API for tasks", "tasks/server/javascript"],
    ["A todo list that remembers what I typed, in plain HTML and TypeScript", "tasks/page/typescript"],
    ["notes app with dark mode", "notes/page/javascript"],
    ["Build a calculator", "calculator/page/javascript"],
    ["build a calcualtor", "calculator/page/javascript"],
    ["a calulator in typscript", "calculator/page/typescript"],
    ["todo lsit", "tasks/page/javascript"],
    ["a pasword generator", "passwords/page/javascript"],
    ["a shopping list where I can check items off", "tasks/page/javascript"],
    ["calculator with unit tests on the command line", "calculator/cli/javascript"],
    ["Write a TypeScript script that counts words", "text-stats/cli/typescript"],
    ["word counter web page in vanilla js", "text-stats/page/javascript"],
    ["A click counter page", "counters/page/javascript"],
    ["Password generator command-line tool", "passwords/cli/javascript"],
    ["pomodoro timer", "timer/page/javascript"],
    ["landing page for my bakery", "landing/page/javascript"],
    ["A static page about tea", "landing/page/javascript"],
    ["Build a website for my yoga studio", "landing/page/javascript"],
    ["A shop landing page in green", "landing/page/javascript"],
    ["A word counter that counts words and characters as I type", "text-stats/page/javascript"],
    ["A calculator that works on my phone", "calculator/page/javascript"],
    ["Portfolio", "landing/page/javascript"],
    ["an HTTP service for books in TypeScript", "books/server/typescript"],
    ["expense tracker in the terminal", "expenses/cli/javascript"],
    ["a quiz about the planets", "space-quiz/page/javascript"],
    ["Make a list.", "items/page/javascript"],
    ["a recipe box", "recipes/page/javascript"],
    ["a plant diary", "plants/page/javascript"],
    ["a catalogue of movies", "movies/page/javascript"],
    ["a book library with tests", "books/library/javascript"],
    ["a REST API for spaceships in Node.js", "items/server/javascript"],
  ])("knows the topic, kind and language of %j", (prompt, expected) => {
    expect(made(prompt)).toBe(expected)
  })

  it.each([
    ["a list of books with year and rating", ["title", "author", "year", "rating"]],
    ["a REST API for spaceships with fields owner, hull number and class", ["owner", "hull number", "class"]],
    ["a to-do list with a due date", ["title", "due date"]],
    ["a todo list with due dates and priorities", ["title", "due date", "priority"]],
    ["a reading list with ratings", ["title", "author", "rating"]],
    ["a list of rooms with the fields name and prices", ["name", "prices"]],
    ["a list of rooms with the fields name, size, and make it blue", ["name", "size"]],
    ["a list of cars with the fields make, model and year", ["make", "model", "year"]],
    ["a calculator", []],
  ])("knows the fields of %j", (prompt, fields) => {
    expect(project(prompt).fields.map(({ name }) => name)).toEqual(fields)
  })

  it.each([
    ["todo app", "en"],
    ["a simple landing page", "en"],
    ["notes", "en"],
    ["Make me a simple web application for notes, danke", "en"],
    ["Eine To-do-Liste, bitte", "de"],
    ["Ich brauche eine einfache Aufgabenliste", "de"],
    ["Je voudrais une liste de courses", "fr"],
    ["Quiero una lista de tareas", "es"],
    ["Eine Landingpage für meine Bäckerei", "de"],
    ["Eine Aufgabenliste in English", "en"],
  ])("writes %j in the prompt's language: %s", (prompt, locale) => expect(project(prompt).locale).toBe(locale))

  it("knows colours and the language of the texts", () => {
    expect(project("a landing page in dark green and cream")).toMatchObject({ accent: "green", background: "cream" })
    expect(project("a to-do list in German")).toMatchObject({ locale: "de", name: "Aufgaben" })
    expect(project("a list called Einkauf in German")).toMatchObject({ locale: "de", name: "Einkauf" })
  })
})

describe("what a project is called", () => {
  it.each([
    ["Build a tiny URL shortener with tests", "URL Shortener"],
    ['A URL shortener called "Link Cutter", please', "Link Cutter"],
    ["A URL shortener named Snip in TypeScript", "Snip"],
    ["a to-do app", "To-do List"],
    ["landing page for my bakery", "Bakery"],
    ['A landing page for a bakery, "Sweet Crumbs"', "Sweet Crumbs"],
    ["A landing page for a coffee shop called Blue Door, in brown", "Blue Door"],
    ['A landing page called "O\'Neil & Söhne"', "O’Neil & Söhne"],
    ["a REST API for spaceships", "Spaceships"],
    ["a to-do list with a field called owner", "To-do List"],
  ])("%j is about %j", (prompt, name) => {
    expect(project(prompt).name).toBe(name)
  })
})

describe("what is refused", () => {
  it.each([
    "Build a chat server",
    "a snake game",
    "weather app",
    "a chess clock",
    "a matrix library in Python",
    "a web page for drawing",
    "a website for playing chess",
    "a linked list library",
    "an API server for my portfolio",
    "Создай список задач",
    "",
    "🎉",
    `${"very ".repeat(1000)} long calculator`,
  ])("is %j, which names nothing that the demo builds or something else besides", (prompt) => {
    expect(refusalOf(prompt)).toMatch(/^The demo can.*so nothing was written\..*It builds small apps by rule/s)
  })

  it.each([
    ["a Rust web server for tasks", "“Rust”"],
    ["Create a todo list app with React", "“React”"],
    ["A Tetris with a timer", "“Tetris”"],
    // These words resemble “contact” and “diary”, but are spelled correctly.
    ["a contract list", "“contract”"],
    ["a dairy list", "“dairy”"],
    ["A to-do list with drag and drop", "“drag” and “drop”"],
    ["A REST API for books on PostgreSQL", "“PostgreSQL”"],
    ["a notes app with markdown", "“markdown”"],
    ["a quiz as a REST API", "“a server”"],
    ["a to-do list that syncs with https://example.org/tasks", "“syncs” and “https://example.org/tasks”"],
    ["A REST API for books in green", "“green”"],
    ["a calculator in German", "“German”"],
    ["a to-do list with the fields id and owner", "“a field “id””"],
    ["Port my Java calculator to Python", "“Port”, “Java”, and “Python”"],
  ])("of %j names what isn't understood", (prompt, part) => {
    expect(refusalOf(prompt)).toContain(`doesn't understand ${part}`)
  })
})
