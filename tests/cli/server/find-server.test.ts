import { chooseServer } from "switchyard/server/find-server"
import { expect, it } from "vitest"

const at = (port: number, checkout: string) => ({ url: `http://127.0.0.1:${port}/`, checkout })

it.each([
  ["nobody's, where none runs", [], 3000],
  ["the only one", [at(3001, "/b")], 3001],
  ["this program's rather than another's", [at(3000, "/b"), at(3001, "/a")], 3001],
  ["the one at the usual port, of several", [at(3000, "/a"), at(4000, "/a")], 3000],
])("the command line talks to %s", (_, servers, port) => {
  expect(new URL(chooseServer(servers, "/a")).port).toBe(String(port))
})

it.each([[[at(3001, "/a"), at(3002, "/a"), at(3000, "/b")]], [[at(3001, "/b"), at(3002, "/b")]]])(
  "the command line doesn't guess between several: %j",
  (servers) => {
    expect(() => chooseServer(servers, "/a")).toThrow(/Several servers are running.*:3001\/, http:\S+:3002/)
  },
)
