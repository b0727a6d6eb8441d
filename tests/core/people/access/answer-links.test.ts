import { AppError } from "@switchyard/core/errors"
import { createAnswerLinks } from "@switchyard/core/people/access/answer-links"
import { describe, expect, it } from "vitest"

const grant = { owner: "ada", session_id: "garden", question_id: "que_1", expires: 2000 }
const linksAt = (now: number, key = 1) =>
  createAnswerLinks({ signingKey: new Uint8Array(32).fill(key), clock: { now: () => now } })
const text = linksAt(0).sign(grant)
const refusal = (given: string, links = linksAt(0)) => {
  try {
    links.verify(given)
  } catch (error) {
    return error instanceof AppError ? `${error.code}: ${error.message}` : error
  }
  return "none"
}

describe("a link to a question", () => {
  it("says what it is for, until its time", () => {
    expect(linksAt(1999).verify(text)).toEqual(grant)
    expect(refusal(text, linksAt(2000))).toBe("forbidden: This link has expired. Ask for a new one.")
  })

  it("is of its server alone", () => {
    expect(refusal(text, linksAt(0, 2))).toBe("forbidden: This link isn't valid.")
  })

  it("is worth nothing once a letter of it is another, or it has another's body", () => {
    const other = linksAt(0).sign({ ...grant, question_id: "que_2" })
    const [body = "", signature = ""] = text.split(".")
    const later = Buffer.from(JSON.stringify({ ...grant, expires: 9e15 })).toString("base64url")
    const altered = Array.from(
      text,
      (letter, at) => `${text.slice(0, at)}${letter === "x" ? "y" : "x"}${text.slice(at + 1)}`,
    )
    for (const wrong of [
      ...altered,
      `${other.split(".")[0]}.${signature}`,
      `${later}.${signature}`,
      body,
      `${body}.`,
      "",
      ".",
      `${text}.`,
      `${text} `,
    ]) {
      expect(refusal(wrong), wrong).toBe("forbidden: This link isn't valid.")
    }
  })
})
