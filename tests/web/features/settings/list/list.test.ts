import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { expect, it } from "vitest"
import { EntryForm } from "../../../../../packages/web/src/features/settings/list/entry-form.tsx"
import { ListButtons, moved } from "../../../../../packages/web/src/features/settings/list/list-buttons.tsx"

it("moves an item of a list up and down", () => {
  expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"])
  expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"])
})

it("offers no way beyond the ends of a list", () => {
  const list = ["a", "b"]
  const buttons = (at: number) => {
    const props = { list, at, name: "rule", removal: "Remove it", onChange: () => undefined }
    const html = renderToStaticMarkup(createElement(ListButtons<string>, props))
    return [...html.matchAll(/<button[^>]*>/g)].map(([tag]) => [
      /aria-label="([^"]*)"/.exec(tag)?.[1],
      tag.includes('disabled=""'),
    ])
  }
  expect(buttons(0)).toEqual([
    ["Move rule up", true],
    ["Move rule down", false],
    ["Remove it", false],
  ])
  expect(buttons(1)).toEqual([
    ["Move rule up", false],
    ["Move rule down", true],
    ["Remove it", false],
  ])
})

it("submits no entry twice, and none that lacks something", () => {
  const form = (change: { isPending: boolean; error: Error | null }, blocked: boolean) => {
    const props = { title: "Add", action: "Save", doing: "Saving", change, blocked, children: "Fields" }
    return renderToStaticMarkup(createElement(EntryForm, { ...props, onSubmit: () => undefined }))
  }
  const button = (html: string) => /<button[^>]*type="submit"[^>]*>(.*?)<\/button>/.exec(html)
  expect(button(form({ isPending: false, error: null }, false))?.[0]).not.toContain('disabled=""')
  expect(button(form({ isPending: false, error: null }, true))?.[0]).toContain('disabled=""')
  expect(button(form({ isPending: true, error: null }, false))?.[0]).toContain('disabled=""')
  expect(button(form({ isPending: true, error: null }, false))?.[1]).toBe("Saving")
  expect(form({ isPending: false, error: new Error("It is there already.") }, false)).toContain("It is there already.")
})
