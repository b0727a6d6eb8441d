import { listed } from "@switchyard/runner/project/listed"
import { expect, it } from "vitest"

it("names five of them at most, and counts the others, given or not", () => {
  expect(listed(["a"])).toBe("a")
  expect(listed(["a", "b", "c", "d", "e"])).toBe("a, b, c, d, e")
  expect(listed(["a", "b", "c", "d", "e", "f", "g"])).toBe("a, b, c, d, e, and 2 more")
  expect(listed(["a", "b", "c", "d", "e", "f", "g"], 30)).toBe("a, b, c, d, e, and 25 more")
  expect(listed(["a", "b"], 3)).toBe("a, b, and 1 more")
})
