import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { attemptsScript, openUnprotected, outcomesIn, pageWith, reachedBy } from "./harness/hostile-attempts.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

/**
 * Everything that an app tries to reach. Apps without an origin may read each other's files, which are public anyway.
 */
const attempts = (studio: string, session: string, other: string, { readsOthers }: { readsOthers: boolean }) =>
  attemptsScript(
    studio,
    session,
    `
  opener: () => opener ? opener.document.title : refuse("no opener"),
  cookies: () => { document.cookie = "own=1"; return /switchyard|theirs/.test(document.cookie) ? document.cookie : refuse("only its own") },
  blindFetch: async () => readable(await fetch(studio + "/api/v1/sessions", { credentials: "include", mode: "no-cors" })),
  header: async () => (await fetch(studio + "/api/v1/sessions/${session}", { headers: { "x-csrf-token": "1" }, credentials: "include" })).text(),
  remove: async () => (await fetch(studio + "/api/v1/sessions/${session}", { method: "DELETE", credentials: "include" })).text(),
  run: async () => readable(await fetch(studio + "/v1/runs", { method: "POST", mode: "no-cors", credentials: "include", body: "{}" })),
  form: () => new Promise((resolve, reject) => {
    const target = document.createElement("iframe")
    target.name = "target"
    const form = document.createElement("form")
    Object.assign(form, { method: "post", target: "target", enctype: "text/plain", action: studio + "/api/v1/sessions" })
    document.body.append(target, form)
    target.onload = () => { try { if (target.contentDocument.URL !== "about:blank") resolve(target.contentDocument.body.innerText) } catch (error) { reject(error) } }
    form.submit()
    setTimeout(() => reject(new Error("nothing came back")), 2000)
  }),
  ownApi: async () => passed(await fetch("/api/v1/apps")),
  worker: () => navigator.serviceWorker.register("sw.js", { updateViaCache: "all" }),
  cachedWorker: async () => { await fetch("sw.js", { cache: "force-cache" }); return navigator.serviceWorker.register("sw.js", { updateViaCache: "all" }) },
  script: () => new Promise((resolve, reject) => {
    const script = document.createElement("script")
    script.onload = () => resolve("loaded")
    script.onerror = () => reject(new Error("no script"))
    script.src = studio + "/config.json"
    document.head.append(script)
  }),
  frameApp: () => framed(${JSON.stringify(other)}),
  ${readsOthers ? "" : `otherApp: async () => (await fetch(${JSON.stringify(other)})).text(),`}
  otherDocument: () => new Promise((resolve, reject) => {
    const opened = window.open(${JSON.stringify(other)})
    if (!opened) return reject(new Error("no window"))
    const look = () => { try { if (opened.document.title === "Other") resolve(opened.localStorage.getItem("secret")) } catch (error) { reject(error) } }
    setInterval(look, 50)
    setTimeout(() => reject(new Error(opened.closed ? "cut off" : "never seen")), 2500)
  }),
  storage: () => localStorage.getItem("secret") ?? refuse("only its own"),
  databases: async () => { const all = await indexedDB.databases(); return all.length > 0 ? all[0].name : refuse("only its own") },
`,
  )

/** Script that stores the secrets of another app in its origin. */
const OTHER = `try { localStorage.setItem("secret", "of the other app"); document.cookie = "theirs=1"; indexedDB.open("theirs") } catch {}
document.querySelector("#outcomes").textContent = "kept"`

inChromium("a hostile page on a site without protection", ({ visit }) => {
  it("reaches everything that an app tries to reach, so each attempt can succeed", async () => {
    await using site = await openUnprotected((url) => ({
      "/": "<title>Studio</title>",
      "/other": pageWith("Other", OTHER),
      "/hostile": pageWith("Hostile", attempts(url, "any", `${url}/other`, { readsOthers: false })),
    }))
    await using visitor = await visit(`${site.url}/other`)
    await until(() => visitor.page.locator("#outcomes").innerText()).toBe("kept")
    const [hostile] = await Promise.all([
      visitor.context.waitForEvent("page"),
      visitor.page.evaluate(() => void window.open("/hostile")),
    ])
    const outcomes = await outcomesIn(hostile.locator("#outcomes"))
    expect(Object.keys(outcomes)).toHaveLength(22)
    expect(reachedBy(outcomes)).toEqual(Object.keys(outcomes))
  })
})

describe.each(["hosts", "opaque"])("on apps of the kind %s", (previews) => {
  inChromium("a hostile published app", ({ visit }) => {
    let place: Place
    beforeAll(async () => {
      place = await openPlace({ env: { PREVIEWS: previews } })
    })
    afterAll(() => place?.[Symbol.asyncDispose]())

    let apps = 0
    async function publish(files: Record<string, string>): Promise<{ id: string; name: string; url: string }> {
      const id = await place.session()
      for (const [path, content] of Object.entries(files))
        await place.ask("PUT", "/workspace/file", { path, content, workspace_id: id })
      const name = `hostile-${++apps}`
      await place.ask("POST", `/api/v1/sessions/${id}/app`, { name })
      // The browser's request goes through the wire, so this one does too.
      const { address } = await (await fetch(`${place.url}/api/v1/sessions/${id}/app`)).json()
      return { id, name, url: address.replace("{name}", name) }
    }

    it("reaches nothing of the studio, the API or another app", async () => {
      const other = await publish({ "index.html": pageWith("Other", OTHER) })
      const own = await place.session()
      const files = {
        "index.html": pageWith("Hostile", attempts(place.url, own, other.url, { readsOthers: previews === "opaque" })),
        "sw.js": "self.x = 1",
      }
      const hostile = await publish(files)
      const seqBefore = (await place.ask("GET", `/api/v1/sessions/${own}`)).latest_seq
      const sessionsBefore = (await place.ask("GET", "/api/v1/sessions")).total
      await using visitor = await visit(place.url)
      await visitor.context.addCookies([{ name: "switchyard", value: "a-login", url: place.url, sameSite: "Strict" }])
      await visitor.page.evaluate(() => localStorage.setItem("secret", "of the studio"))
      await visitor.page.goto(other.url)
      await until(() => visitor.page.locator("#outcomes").innerText()).toBe("kept")
      const sent: string[] = []
      visitor.context.on("request", async (request) => {
        const cookie = (await request.allHeaders()).cookie ?? ""
        if (request.url().startsWith(place.url) && cookie) sent.push(`${request.method()} ${request.url()} ${cookie}`)
      })
      await visitor.page.goto(hostile.url)
      expect(reachedBy(await outcomesIn(visitor.page.locator("#outcomes")))).toEqual([])
      // No request of the app carried the login's cookie.
      expect(sent).toEqual([])
      expect((await place.ask("GET", `/api/v1/sessions/${own}`)).latest_seq).toBe(seqBefore)
      expect((await place.ask("GET", "/api/v1/sessions")).total).toBe(sessionsBefore)
      const workers = await visitor.page.evaluate(() => navigator.serviceWorker?.getRegistrations?.().catch(() => []))
      expect(workers ?? []).toEqual([])
      visitor.faults.length = 0
    })

    it("can't set cookies that the studio or another app receives", async () => {
      const set = `for (const domain of ["localhost", ".localhost", ""]) for (const name of ["switchyard", "__Host-switchyard", "theirs"]) document.cookie = name + "=evil; path=/" + (domain && "; domain=" + domain)
document.querySelector("#outcomes").textContent = "set"`
      const hostile = await publish({ "index.html": pageWith("Hostile", set) })
      const other = await publish({ "index.html": pageWith("Other", "") })
      await using visitor = await visit(hostile.url)
      await until(() => visitor.page.locator("#outcomes").innerText()).toBe("set")
      for (const address of [place.url, other.url]) {
        await visitor.page.goto(address)
        if (previews === "hosts") expect(await visitor.page.evaluate(() => document.cookie)).toBe("")
        expect(await visitor.context.cookies(address)).toEqual([])
      }
      visitor.faults.length = 0
    })

    it("is framed by no other site and by no studio, and opens in the studio without an opener", async () => {
      const hostile = await publish({ "index.html": pageWith("Hostile", "") })
      const framing = createServer((_, response) => {
        response.setHeader("content-type", "text/html")
        response.end(`<iframe src="${hostile.url}"></iframe>`)
      }).listen(0, "127.0.0.1")
      await once(framing, "listening")
      await using visitor = await visit(`http://127.0.0.1:${(framing.address() as AddressInfo).port}`)
      await until(async () => visitor.page.frames().map((frame) => frame.url())).toContain(
        "chrome-error://chromewebdata/",
      )
      framing.close()
      await visitor.page.goto(`${place.url}/s/${hostile.id}/files`)
      await visitor.page.getByRole("button", { name: "Publish", exact: true }).click()
      const [opened] = await Promise.all([
        visitor.context.waitForEvent("page"),
        visitor.page.getByRole("link", { name: "Open" }).click(),
      ])
      await opened.waitForLoadState()
      expect(opened.url()).toBe(hostile.url)
      expect(await opened.evaluate(() => [window.opener, document.referrer])).toEqual([null, ""])
      visitor.faults.length = 0
    })

    it("is gone with its withdrawal, with all that it stored", async () => {
      const hostile = await publish({ "index.html": pageWith("Hostile", OTHER), "app.js": "let a" })
      await using visitor = await visit(hostile.url)
      await until(() => visitor.page.locator("#outcomes").innerText()).toBe("kept")
      await visitor.page.evaluate(() => fetch("app.js").then((answer) => answer.text()))
      await place.ask("DELETE", `/api/v1/apps/${hostile.name}`)
      const answer = await visitor.page.evaluate(() =>
        fetch("app.js").then(
          ({ status }) => status,
          () => 0,
        ),
      )
      expect(answer).not.toBe(200)
      expect((await visitor.page.goto(hostile.url))?.status()).toBe(404)
      await place.ask("POST", `/api/v1/sessions/${hostile.id}/app`, { name: hostile.name })
      await place.ask("PUT", "/workspace/file", {
        path: "index.html",
        content: pageWith("Next", ""),
        workspace_id: hostile.id,
      })
      await place.ask("POST", `/api/v1/sessions/${hostile.id}/app`, { name: hostile.name })
      await visitor.page.goto(hostile.url)
      expect(await visitor.page.title()).toBe("Next")
      expect(await visitor.page.evaluate(() => localStorage.getItem("secret"))).toBe(null)
      visitor.faults.length = 0
    })
  })
})
