import { readIntent } from "@switchyard/demo-model/intent"
import { describe, expect, it } from "vitest"

const project = (prompt: string) => {
  const { topic, kind, language } = readIntent(prompt).project
  return `${topic}/${kind}/${language}`
}
const nameOf = (prompt: string) => readIntent(prompt).project.name

describe("what a prompt asks for", () => {
  it.each([
    ["Build a tiny URL shortener with tests", "url-shortener/server/typescript"],
    ["a link shortener cli in python", "url-shortener/cli/python"],
    ["Shorten URLs, as a JavaScript library", "url-shortener/library/javascript"],
    ["Create a todo list app with React", "tasks/page/typescript"],
    ["a REST API for tasks", "tasks/server/typescript"],
    ["I want to do a website about tea", "landing/page/typescript"],
    ["notes app with markdown", "notes/page/typescript"],
    ["A Markdown to HTML converter library", "markdown/library/typescript"],
    ["Build a calculator", "calculator/page/typescript"],
    ["calculator with unit tests on the command line", "calculator/cli/typescript"],
    ["Write a Python script that counts words", "text-stats/cli/python"],
    ["word counter web page in vanilla js", "text-stats/page/javascript"],
    ["A click counter page", "counters/page/typescript"],
    ["Password generator command-line tool", "passwords/cli/typescript"],
    ["A module that generates unique IDs", "ids/library/typescript"],
    ["Celsius to Fahrenheit in Python", "converter/cli/python"],
    ["unit converter API with FastAPI", "converter/server/python"],
    ["pomodoro timer", "timer/page/typescript"],
    ["slugify library", "slugs/library/typescript"],
    ["landing page for my bakery", "landing/page/typescript"],
    ["Portfolio", "landing/page/typescript"],
    ["an HTTP service for books in JavaScript", "books/server/javascript"],
    ["expense tracker in the terminal", "expenses/cli/typescript"],
  ])("knows the topic, kind and language of %j", (prompt, expected) => {
    expect(project(prompt)).toBe(expected)
  })

  it.each([
    ["Build a chat server", "items/server/typescript"],
    ["a snake game", "items/server/typescript"],
    ["weather app", "items/page/typescript"],
    ["a tool for the command line that does my taxes", "slugs/cli/typescript"],
    ["a matrix library in Python", "slugs/library/python"],
    ["a web page about whales", "landing/page/typescript"],
    ["", "items/server/typescript"],
    ["🎉", "items/server/typescript"],
  ])("makes something sensible of %j, which it does not know", (prompt, expected) => {
    expect(project(prompt)).toBe(expected)
  })

  it("takes node.js for no language, since TypeScript runs there too", () => {
    expect(project("a task API in Node.js")).toBe("tasks/server/typescript")
  })

  it("does not take a portfolio's API for a page", () => {
    expect(project("an API server for my portfolio")).toBe("items/server/typescript")
  })

  it.each([
    ["a Rust web server for tasks", "Rust"],
    ["todo API in Go", "Go"],
    ["C++ calculator", "C++"],
    ["a calculator in Java", "Java"],
  ])("says which language of %j it cannot write", (prompt, language) => {
    expect(readIntent(prompt).unsupported).toBe(language)
    expect(nameOf(prompt)).not.toContain(language)
  })

  it("does not apologise when a language that it writes is named too", () => {
    expect(readIntent("Port my Java calculator to Python").unsupported).toBeUndefined()
  })
})

describe("what a project is called", () => {
  it.each([
    ["Build a tiny URL shortener with tests", "URL Shortener"],
    ['A URL shortener called "Link Cutter", please', "Link Cutter"],
    ["A URL shortener named Snip in Python", "Snip"],
    ["a to-do app", "To-do App"],
    ["landing page for my bakery", "Bakery"],
    ["Please write a REST API in JavaScript", "Item Store"],
    ["Создай список задач", "Создай Список Задач"],
    ["日本語のタスク", "日本語のタスク"],
    ["in Go, a chat server", "Chat Server"],
  ])("%j is about %j", (prompt, name) => {
    expect(nameOf(prompt)).toBe(name)
  })
})
