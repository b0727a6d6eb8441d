import { expect, it } from "vitest"
import { withoutCredentials } from "../../../../packages/web/src/features/home/use-last-repository.ts"
import { readChoices, saveChoices } from "../../../../packages/web/src/session/preferences/new-session-choices.ts"

function createStorage(): Storage {
  const values = new Map<string, string>()
  return {
    ...{ length: 0, clear: () => values.clear(), key: () => null, removeItem: (key) => void values.delete(key) },
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
  }
}

it("remembers a team's programs beside what was chosen before", () => {
  const storage = createStorage()
  saveChoices(storage, { agent: "mine", mode: "plan" })
  saveChoices(storage, { programs: ["claude", "codex"] })
  expect(readChoices(storage)).toEqual({
    ...{ kind: "Build", agent: "mine", mode: "plan", programs: ["claude", "codex"] },
  })
})

it.each([
  ["https://bob:secret@example.org/x.git", "https://example.org/x.git"],
  ["HTTPS://secret@example.org/a@b.git", "HTTPS://example.org/a@b.git"],
  ["https://a@b:secret@example.org/x", "https://example.org/x"],
  ["https://example.org/x?a=b@c", "https://example.org/x?a=b@c"],
  ["git@example.org:x.git", "git@example.org:x.git"],
  ["/home/me/a@b", "/home/me/a@b"],
])("remembers a repository without its credentials: %s", (repository, remembered) => {
  expect(withoutCredentials(repository)).toBe(remembered)
})
