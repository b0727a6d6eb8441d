import { describe, expect, it } from "vitest"
import { afterScroll, isHeld, unreadCount } from "../../../packages/web/src/ui/stick-to-bottom.ts"

const box = (scrollTop: number, scrollHeight = 1_000) => ({ scrollTop, scrollHeight, clientHeight: 400 })
const pin = { top: 600, height: 1_000 }
const following = { held: false, moving: false, settling: false, pin }

describe("a list that is kept at its end", () => {
  it("lets its reader go once they are out of reach of it", () => {
    expect(afterScroll(box(552), following)).toBe("stay")
    expect(afterScroll(box(551), following)).toBe("hold")
  })

  it("takes no growth of its own for a movement", () => {
    expect(afterScroll(box(100, 2_000), following)).toBe("stay")
    expect(afterScroll(box(100, 2_000), { ...following, moving: true })).toBe("hold")
  })

  it("goes back where it scrolled by itself while its rows settle, and never against its reader", () => {
    expect(afterScroll(box(100), { ...following, settling: true })).toBe("return")
    expect(afterScroll(box(590), { ...following, settling: true })).toBe("stay")
    expect(afterScroll(box(100), { ...following, settling: true, moving: true })).toBe("hold")
  })

  it("takes no rows that came in for a distance that the reader went", () => {
    expect(afterScroll(box(590, 2_000), { ...following, moving: true })).toBe("stay")
  })

  it("is followed again when its reader comes back to its end, however far down that is by then", () => {
    expect(afterScroll(box(1_552, 2_000), { ...following, held: true })).toBe("follow")
    expect(afterScroll(box(1_551, 2_000), { ...following, held: true })).toBe("stay")
  })
})

describe("a list that is held", () => {
  const held = { subject: "ses_1", moment: null, count: 10 }

  it("counts the rows that came in since", () => {
    expect(unreadCount(held, { ...held, count: 13 })).toBe(3)
    expect(unreadCount(held, { ...held, count: 4 })).toBe(0)
    expect(unreadCount(null, held)).toBe(0)
  })

  it("is no longer held in another session or at another moment", () => {
    expect(isHeld(held, { subject: "ses_1", moment: null })).toBe(true)
    expect(isHeld(held, { subject: "ses_2", moment: null })).toBe(false)
    expect(isHeld(held, { subject: "ses_1", moment: 7 })).toBe(false)
    expect(unreadCount(held, { ...held, moment: 7, count: 13 })).toBe(0)
  })
})
