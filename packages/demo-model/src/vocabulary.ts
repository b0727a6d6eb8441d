import type { Kind, Language } from "./project.ts"
import { phrases } from "./prompt-words.ts"

export const kindPhrases = {
  server: phrases(`
    rest api, rest service, http api, json api, web api, crud api, web server, http server, http service,
    web service, server, api, rest, http, backend, back end, microservice, service, endpoint, endpoints, crud
  `),
  cli: phrases(`
    command line tool, command line app, command line program, command line interface, command line, cli tool,
    cli app, cli, terminal app, terminal, console app, console, shell, script
  `),
  library: ["library", "package", "module"],
  page: phrases(`
    single page app, single page, static page, static site, static website, web page, webpage, web app, webapp,
    web site, website, site, page, frontend, front end, browser app
  `),
} satisfies Record<Kind, string[]>

export const languagePhrases = {
  javascript: ["vanilla javascript", "plain javascript", "javascript", "vanilla js", "plain js", "js"],
  typescript: ["typescript", "ts"],
  python: ["python 3", "python3", "python"],
} satisfies Record<Language, string[]>

/** Phrases for what is in everything that the demo makes. */
export const everywhere = phrases(`
  tests, test, unit tests, unit test, tested, its tests, readme, no dependencies, without dependencies,
  without any dependencies, zero dependencies, no frameworks, no framework, without a framework,
  without frameworks, no build, no build step, node, nodejs, node js, node 20, standard library,
  standard library only, start script, npm start, npm test
`)

/** Phrases for what is in every page. */
export const onPages = phrases(`
  html, css, html css, dark mode, light and dark mode, dark and light mode, dark theme, responsive,
  mobile friendly, accessible, keyboard, works on phones, works offline, offline, on a phone, in the browser,
  browser, phone, mobile, desktop, on the web, web, styled, form, button, buttons
`)

/** Words about the asking, which ask for nothing. */
export const filler = phrases(`
  please, can, could, would, will, you, i, i'd, i'm, we, me, us, my, our, your, it, its, it's, this, that, which,
  who, where, want, need, needs, like, love, have, has, let, lets, let's, letting, a, an, the, some, any, each,
  every, all, of, for, to, and, or, with, using, in, on, at, by, as, is, are, be, so, also, just, only, plus,
  build, create, make, write, generate, develop, implement, design, give, code, program, building, making, do,
  does, works, work, working, run, runs, use, uses, can use, called, tiny, small, simple, basic, minimal,
  minimalist, little, quick, nice, beautiful, modern, clean, pretty, good, great, lovely, friendly, elegant,
  complete, fully, functional, plain, new, easy, helpful, useful, personal, own, daily, everyday, app, application,
  apps, tool, project, something, thing, things, one, very, really, there, here, them, they, their, hello, hi, hey,
  thanks, thank, bitte, danke, merci, gracias, por favor, from, into, people, person, someone, myself, family, kids, team, home, house, every day, day,
  quickly, easily, allows, allow, lets you, colours, colors, favourite, favorite, about, available, when, what, if,
  up, down, out, then, more, colour, color, accent, theme, field, fields, english, demo, example
`)
