import type { Page } from "playwright-core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("the studio without a pointer", ({ visit }) => {
  let place: Place
  beforeEach(async () => {
    place = await openPlace()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  it("is asked, watched, opened, changed, played back and asked again", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    const { keyboard } = page
    await until(() => focused(page)).toContain("TEXTAREA")
    await keyboard.type("A list.")
    await keyboard.press("Control+Enter")
    await page.waitForURL(/\/s\/[^/]+\/run$/)
    const screen = onRunScreen(page)
    // The run's heading gets the focus first.
    await until(() => focused(page)).toMatch(/^H1 /)
    await screen.finished()

    // Opens a file: show the code, go to the tree, go to its last row, press Enter.
    await tabTo(page, 'nav[aria-label="Panes"] button:nth-child(2)')
    await keyboard.press("Enter")
    await tabTo(page, '#agent-file-tree [role="treeitem"]')
    await keyboard.press("End")
    await keyboard.press("Enter")
    await until(() => page.locator("#agent-editor .cm-content").count()).toBe(1)
    await tabTo(page, "#agent-editor .cm-content")
    await keyboard.type("/* typed */")
    await keyboard.press("Control+s")
    await page.locator("#agent-editor").getByText("Saved", { exact: true }).waitFor()
    await keyboard.press("Escape")

    // Goes to the first event, and back to live.
    const slider = screen.moment
    await slider.focus()
    await keyboard.press("Home")
    await until(() => screen.position()).toMatch(/^1\//)
    await page.getByRole("button", { name: "Live", exact: true }).focus()
    await keyboard.press("Enter")
    await screen.finished()

    // Asks again; the run starts at once.
    const hold = place.director.hold("plan")
    await screen.prompt.focus()
    await keyboard.type("In blue.")
    await keyboard.press("Control+Enter")
    await hold.reached
    await until(() => screen.prompt.inputValue()).toBe("")
    expect(await screen.prompt.evaluate((field) => field === document.activeElement)).toBe(true)
    hold.release()
    await screen.finished()
  })

  it("is told otherwise, downloaded and reset, and never leaves the focus nowhere", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const { keyboard } = page
    await onRunScreen(page).finished()

    // Edits a prompt, leaves it, and comes back.
    await keyboard.press("g")
    await keyboard.press("p")
    await page.waitForURL("**/run?show=graph&prompt=planner")
    await tabTo(page, '[role="tabpanel"] textarea:not([readonly])')
    await keyboard.type(" In French.")
    await page.getByText("Saved", { exact: true }).waitFor()
    await page.getByRole("link", { name: "Build", exact: true }).focus()
    await keyboard.press("Enter")
    await onRunScreen(page).finished()

    // Closing the help returns the focus to the previous control.
    const zip = page.locator("#agent-download-button")
    await zip.focus()
    await keyboard.press("?")
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
    await keyboard.press("Escape")
    await until(() => zip.evaluate((button) => button === document.activeElement)).toBe(true)
    const download = page.waitForEvent("download")
    await keyboard.press("Enter")
    await download

    // Cancels a reset first, and confirms it the second time.
    const actions = page.getByRole("button", { name: "Session actions" })
    const openReset = async () => {
      await keyboard.press("Enter")
      await page.locator('[data-agent-action="reset"]').focus()
      await keyboard.press("Enter")
      await page.getByRole("dialog").waitFor()
    }
    await tabTo(page, '[aria-label="Session actions"]')
    await openReset()
    await keyboard.press("Escape")
    await until(() => actions.evaluate((button) => button === document.activeElement)).toBe(true)
    await openReset()
    await page.getByRole("dialog").getByRole("button", { name: "Reset" }).focus()
    await keyboard.press("Enter")
    await page.waitForURL((url) => /\/run$/.test(url.pathname) && !url.pathname.includes(id))
    await until(() => page.evaluate(() => document.activeElement === document.body)).toBe(false)
  })

  it("sends with Enter, makes a line with Shift and Enter, and leaves Enter to an input method", async () => {
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const { prompt, finished } = onRunScreen(page)
    await prompt.focus()
    await page.keyboard.type("One.")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("Two.")
    expect(await prompt.inputValue()).toBe("One.\nTwo.")
    // Enter ends an IME composition. Safari reports that only by the key code 229.
    for (const init of [{ isComposing: true }, { keyCode: 229 }]) {
      await prompt.dispatchEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...init })
    }
    expect(await prompt.inputValue()).toBe("One.\nTwo.")
    expect((await place.ask("GET", `/api/v1/sessions/${id}`)).last_run).toBeNull()
    await page.keyboard.press("Enter")
    await finished()
    expect((await place.ask("GET", `/api/v1/sessions/${id}`)).last_run.status).toBe("completed")
  })

  it("makes a line with Enter on a touch screen", async () => {
    await using visitor = await visit(place.url, { width: 390 })
    const { page } = visitor
    const field = page.getByRole("textbox", { name: "What to build" })
    await field.focus()
    await page.keyboard.type("One.")
    await page.keyboard.press("Enter")
    await page.keyboard.type("Two.")
    expect(await field.inputValue()).toBe("One.\nTwo.")
    expect(new URL(page.url()).pathname).toBe("/")
  })

  it("goes through the sessions with J and K, and opens one with O", async () => {
    const ids = [await place.session({ prompt: "One." }), await place.session({ prompt: "Two." })]
    await using visitor = await visit(`${place.url}/docs`)
    const { page } = visitor
    const rail = page.getByRole("navigation", { name: "Sessions" })
    await until(() => rail.locator('a[href^="/s/"]').count()).toBe(2)
    const focusedHref = () => page.evaluate(() => document.activeElement?.getAttribute("href"))
    const [first, second] = await rail
      .locator('a[href^="/s/"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")))
    await rail.locator(`a[href="${first}"]`).focus()
    await page.keyboard.press("j")
    expect(await focusedHref()).toBe(second)
    await page.keyboard.press("k")
    expect(await focusedHref()).toBe(first)
    await page.keyboard.press("j")
    await page.keyboard.press("o")
    await page.waitForURL(`**${second}/run`)
    expect(ids.some((id) => second?.includes(id))).toBe(true)
  })

  it("loses nothing that is typed before the search over everything is loaded", async () => {
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const chunk = Promise.withResolvers<void>()
    await page.route(/palette/, async (route) => {
      await chunk.promise
      await route.continue()
    })
    await page.getByText("Your app will appear here").waitFor()
    await page.locator("body").press("Control+k")
    await page.getByRole("dialog", { name: "Search everything" }).waitFor()
    await page.keyboard.type("go ho")
    chunk.resolve()
    await page.getByRole("option", { name: "Go home" }).waitFor()
    await page.keyboard.type("me")
    await until(() => page.getByRole("combobox").inputValue()).toBe("go home")
    await page.keyboard.press("Enter")
    await page.waitForURL(`${place.url}/`)
  })

  it("has what is typed at once after the key, while the search is rendered but not shown", async () => {
    await using visitor = await visit(`${place.url}/docs`)
    const { page } = visitor
    await page.getByRole("heading", { level: 1 }).first().waitFor()
    await page.keyboard.press("Control+k")
    await page.keyboard.type("go home")
    await until(() => page.getByRole("combobox").inputValue()).toBe("go home")
    const found = page.getByRole("option", { name: "Go home", selected: true })
    await found.waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(`${place.url}/`)
    // Pasted text is searched as well.
    await page.keyboard.press("Control+k")
    await page.getByRole("option").first().waitFor()
    await page.keyboard.insertText("go home")
    await found.waitFor()
  })

  it("offers a session's commands before the list of sessions is there", async () => {
    const id = await place.session()
    await using visitor = await visit(`${place.url}/docs`)
    const { page } = visitor
    const list = Promise.withResolvers<void>()
    await page.route(/\/api\/v1\/sessions(\?.*)?$/, async (route) => {
      await list.promise
      await route.continue()
    })
    await page.goto(`${place.url}/s/${id}/run`)
    await page.getByText("Your app will appear here").waitFor()
    await page.locator("body").press("Control+k")
    await page.getByRole("option", { name: "Go home" }).waitFor()
    await page.keyboard.type("rename this session")
    await page.getByRole("option", { name: "Rename this session" }).waitFor()
    list.resolve()
  })

  it("leaves single letters alone where somebody has switched them off", async () => {
    const id = await place.session()
    await place.ask("PUT", "/api/v1/config/preferences", { single_letter_keys: false })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    await page.getByText("Your app will appear here").waitFor()
    await until(() => page.evaluate(() => document.documentElement.dataset.theme)).toBeTruthy()
    await page.locator("body").press("?")
    await page.locator("body").press("g")
    await page.locator("body").press("h")
    await page.locator("body").press("Control+k")
    await page.getByRole("dialog").waitFor()
    expect(await page.getByRole("dialog").count()).toBe(1)
    expect(await page.getByRole("dialog", { name: "Keyboard shortcuts" }).count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe(`/s/${id}/run`)
  })

  it("goes from region to region with F6, and from room to room with g", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    await onRunScreen(page).finished()
    const seen = new Set<string>()
    // A region exists once its part of the studio is loaded.
    const next = async () => {
      await page.keyboard.press("F6")
      seen.add(await page.evaluate(() => document.activeElement?.getAttribute("data-region") ?? ""))
      return [...seen]
    }
    const all = ["rail", "conversation", "preview", "line"]
    await expect.poll(next, { interval: 5 }).toEqual(expect.arrayContaining(all))
    for (const [letter, path] of [
      ["f", `/s/${id}/run?show=code`],
      ["p", `/s/${id}/run?show=graph&prompt=planner`],
      ["v", `/s/${id}/run?show=app`],
      ["r", `/s/${id}/run`],
      ["s", "/settings/appearance"],
      ["h", "/"],
    ] as const) {
      await page.locator("body").press("g")
      await page.locator("body").press(letter)
      await page.waitForURL((url) => url.href === place.url + path)
      if (letter === "h") break
      if (letter === "s") await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    }
  })

  it("types a letter where somebody types, and does nothing else", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const screen = onRunScreen(visitor.page)
    await screen.finished()
    await screen.prompt.focus()
    await visitor.page.keyboard.press("End")
    await visitor.page.keyboard.type("gf [?l")
    expect(await screen.prompt.inputValue()).toMatch(/gf \[\?l$/)
    expect(await visitor.page.getByRole("dialog").count()).toBe(0)
    expect(new URL(visitor.page.url()).pathname).toBe(`/s/${id}/run`)
  })
})

inChromium("the studio on a phone", ({ visit }) => {
  it("fits on every screen, 390 and 320 px wide, and every control can be hit by a finger", async () => {
    await using place = await openPlace()
    const id = await place.session({ built: true })
    for (const width of [390, 320]) {
      await using visitor = await visit(place.url, { width })
      const { page } = visitor
      for (const path of [
        "/",
        `/s/${id}/run`,
        `/s/${id}/run?show=conversation`,
        `/s/${id}/run?show=log`,
        `/s/${id}/chat`,
        `/s/${id}/files/`,
        `/s/${id}/files/style.css`,
        `/s/${id}/prompts/coder`,
        `/s/${id}/preview`,
        "/usage",
        "/settings/appearance",
        "/settings/model",
        "/settings/accounts",
        "/settings/tokens",
        "/about",
        "/docs",
        "/connect",
        "/login",
      ]) {
        await page.goto(path)
        await page.locator("main, form, [role=dialog], h1").first().waitFor()
        await until(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThan(1)
        expect(await smallControls(page), `${path} at ${width} px`).toEqual([])
        expect(await cutControls(page), `${path} at ${width} px`).toEqual([])
      }
    }
  })

  it("shows every view of a built session at once, and where a strip has more, the one that is open", async () => {
    await using place = await openPlace()
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`, { width: 390 })
    const { page } = visitor
    const views = page.getByRole("navigation", { name: "Views" })
    await views.waitFor()
    expect(await views.evaluate((strip) => strip.scrollWidth - strip.clientWidth)).toBe(0)
    await page.goto("/settings/tokens")
    const open = page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Tokens" })
    await until(async () => {
      const { x = 390, width = 0 } = (await open.boundingBox()) ?? {}
      return x + width
    }).toBeLessThanOrEqual(390)
    // At the narrowest width with panes side by side, no control is cut off.
    await page.setViewportSize({ width: 770, height: 900 })
    await page.goto(`/s/${id}/run?show=code`)
    await onRunScreen(page).file("style.css").waitFor()
    expect(await cutControls(page)).toEqual([])
  })

  it("can be used at four times the size: what has no room is scrolled to, from top to bottom", async () => {
    await using place = await openPlace()
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run?show=conversation`, {
      width: 320,
      height: 256,
    })
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.conversation.getByText("Done").waitFor()
    expect(await cutControls(page)).toEqual([])
    for (const part of [screen.prompt, screen.runButton, screen.moment, page.getByRole("button", { name: "Log" })]) {
      await part.scrollIntoViewIfNeeded()
      const box = await part.boundingBox()
      expect(box).not.toBeNull()
      expect(box && box.y >= 0 && box.y + box.height <= 256, await part.innerText()).toBe(true)
    }
    const { height = 0 } = (await screen.conversation.boundingBox()) ?? {}
    expect(height).toBeGreaterThan(200)
  })

  it("marks the current row where only the system's colours are shown", async () => {
    await using place = await openPlace()
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    await page.emulateMedia({ forcedColors: "active" })
    const row = page.getByRole("navigation", { name: "Sessions" }).locator("a[aria-current=page]")
    await row.waitFor()
    const edge = async () => {
      const { x, y, height } = (await row.boundingBox()) ?? { x: 0, y: 0, height: 0 }
      const clip = { x: x - 2, y: y + height / 2, width: 8, height: 1 }
      const png = (await page.screenshot({ clip })).toString("base64")
      return page.evaluate(coloursOf, png)
    }
    // The strip of pixels includes the canvas beside the row and the border at the row's edge.
    await until(async () => new Set(await edge()).size).toBeGreaterThan(1)
  })

  it("marks the chosen one of a few options there, too", async () => {
    await using place = await openPlace()
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.emulateMedia({ forcedColors: "active" })
    const chosen = page.locator("label", { has: page.locator("input:checked") }).first()
    const background = () => chosen.evaluate((label) => getComputedStyle(label).backgroundColor)
    const highlight = await page.evaluate(() => {
      const sample = document.body.appendChild(document.createElement("span"))
      sample.style.cssText = "background: Highlight; forced-color-adjust: none"
      const { backgroundColor } = getComputedStyle(sample)
      sample.remove()
      return backgroundColor
    })
    await until(background).toBe(highlight)
  })

  it("runs, shows the log and opens a file", async () => {
    await using place = await openPlace()
    const hold = place.director.hold("src/main.ts")
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`, { width: 390 })
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.prompt.fill("A list.")
    await screen.runButton.tap()
    await hold.reached
    await screen.reach({ planner: "completed", coder: "active" })
    hold.release()
    await screen.finished()
    // The app replaces the conversation once it has something to show.
    await page.frameLocator("iframe[title=Preview]").locator("ul").waitFor({ state: "attached" })
    await screen.show("Conversation")
    await until(() => screen.conversation.innerText()).toContain("Done")
    await screen.show("Log")
    await until(() => screen.log.innerText()).toContain("coder")
    await screen.show("Code")
    await screen.file("style.css").first().tap()
    await until(() => page.locator("#agent-editor .cm-content").innerText()).toContain("padding")
  })
})

function focused(page: Page): Promise<string> {
  return page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.textContent}`)
}

/**
 * Presses Tab until an element that matches is focused, even past the end of the page. Leaves an editor by Escape,
 * because Tab indents there.
 */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 90; presses++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return
    const inEditor = await page.evaluate(() => document.activeElement?.closest(".cm-content") !== null)
    if (inEditor) await page.keyboard.press("Escape")
    await page.keyboard.press("Tab")
  }
  throw new Error(`Tab never comes to ${selector}.`)
}

/** Returns buttons and fields smaller than 24 px in width or height. Links within a sentence are exempt. */
function smallControls(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        "button, input:not([type=checkbox], [type=radio]), select, textarea, summary",
      ),
    ]
      .filter((control) => control.offsetParent && getComputedStyle(control).visibility === "visible")
      .flatMap((control) => {
        const { width, height } = control.getBoundingClientRect()
        const inSentence = control.closest("p") !== null
        return width < 24 || (height < 24 && !inSentence)
          ? [`${control.outerHTML.slice(0, 120)} ${width}×${height}`]
          : []
      }),
  )
}

/** Returns the controls that extend beyond the window's sides and that no pane can scroll to. */
function cutControls(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (one: Element | null): boolean =>
      one !== null && (/auto|scroll/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement))
    return [...document.querySelectorAll("a, button, input, select, textarea")]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !scrolls(one.parentElement))
      .filter((one) => {
        const { left, right, width } = one.getBoundingClientRect()
        return width > 1 && (left < -1 || right > innerWidth + 1)
      })
      .map((one) => one.getAttribute("aria-label") ?? one.textContent ?? "")
  })
}

/** Returns the colors of a picture's pixels, from left to right. */
async function coloursOf(png: string): Promise<string[]> {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0))
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }))
  const canvas = new OffscreenCanvas(picture.width, 1)
  const context = canvas.getContext("2d")
  context?.drawImage(picture, 0, 0)
  const { data } = context?.getImageData(0, 0, picture.width, 1) ?? { data: [] }
  return Array.from({ length: picture.width }, (_, x) => [...data.slice(x * 4, x * 4 + 3)].join())
}
