import type { Kind, Language } from "./project.ts"
import { phrases } from "./prompt-words.ts"

export const kindPhrases = {
  server: phrases(`
    rest api, restful api, restful service, rest service, http api, json api, web api, crud api, web server, http
    server, http service, web service, api server, server, api, rest, http, backend, back end, microservice, service,
    endpoint, endpoints, crud
  `),
  cli: phrases(`
    command line tool, command line app, command line program, command line interface, command line, cli tool, cli
    app, cli, terminal app, terminal based, terminal program, terminal, console app, console, shell, script
  `),
  library: ["library", "package", "module"],
  page: phrases(`
    single page app, single page website, single page, one page website, one page site, one page, static page, static
    site, static website, web page, webpage, web app, webapp, web site, website, web application, site, html page,
    page, frontend, front end, browser app
  `),
} satisfies Record<Kind, string[]>

export const languagePhrases = {
  javascript: ["vanilla javascript", "plain javascript", "javascript", "vanilla js", "plain js", "js"],
  typescript: ["typescript", "ts"],
} satisfies Record<Language, string[]>

/** Phrases for what every demo project has. */
export const everywhere = phrases(`
  tests, test, unit tests, unit test, tested, its tests, readme, no dependencies, without dependencies, without any
  dependencies, zero dependencies, no frameworks, no framework, without a framework, without frameworks, no build, no
  build step, node, nodejs, node js, node 20, standard library, standard library only, start script, npm start, npm
  test
`)

/** Phrases for what every page has. */
export const onPages = phrases(`
  html, css, html css, dark mode, light and dark mode, dark and light mode, dark theme, responsive, mobile friendly,
  accessible, keyboard, works on phones, works offline, offline, on a phone, in the browser, browser, phone, mobile,
  desktop, on the web, web, styled, form, button, buttons
`)

/** Words about the request itself and the person who makes it. */
export const filler = phrases(`
  please, pls, plz, can, could, would, will, you, u, i, i'd, i'm, i'll, i've, we, we're, we'd, me, us, my, our, your,
  it, its, it's, he, she, his, her, this, that, that's, which, who, where, want, wants, wanted, wanna, need, needs,
  needed, like, love, have, having, has, had, get, got, let, lets, let's, letting, a, an, the, some, any, each, every,
  all, of, for, to, and, or, with, using, in, on, at, by, as, is, are, was, be, been, am, so, also, just, only, plus,
  but, too, much, many, lots, lot, if possible, ideally, preferably, maybe, perhaps, mind, wondering, wonder, happy,
  glad, kind, kindly, help, looking, able, possible, hoping, hope, think, know, build, builds, create, creates, make,
  makes, write, writes, generate, develop, implement, design, give, code, program, building, making, creating,
  writing, put together, set up, come up, whip up, prepare, produce, provide, provides, show me, showing, display,
  displays, enter, type, press, open, try, start with, do, does, works, work, working, run, runs, use, uses, can use,
  called, tiny, small, simple, basic, minimal, minimalist, minimalistic, little, quick, nice, beautiful, modern,
  clean, pretty, good, great, lovely, friendly, user friendly, elegant, cool, awesome, best, better, fun, fancy,
  online, digital, virtual, interactive, intuitive, sleek, polished, professional, colourful, colorful, cute, robust,
  reliable, fast, efficient, free, private, easy to use, out of the box, well, properly, correctly, comfortable,
  nothing fancy, from scratch, stylish, attractive, neat, big, large, clear, handy, proper, decent, short,
  lightweight, straightforward, complete, fully, functional, plain, new, easy, helpful, useful, personal, own, daily,
  everyday, app, application, apps, tool, tools, project, something, someplace, somewhere, place, thing, things,
  everything, anything else, one, very, really, actually, basically, quite, there, here, them, they, their, hello, hi,
  hey, dear, thanks, thanks in advance, thank, thank you, cheers, asap, bitte, danke, merci, gracias, por favor, s'il
  vous plaît, from, into, based, people, person, someone, myself, ourselves, family, kids, kid, children, child,
  daughter, son, wife, husband, partner, mum, mom, dad, parents, grandma, mum's, mom's, dad's, friends, friend,
  students, student, teacher, pupils, class, colleagues, office, school, university, team, home, house, kitchen,
  garden, wedding, party, holiday, holidays, vacation, trip, weekend, week, next week, next month, soon, today,
  tomorrow, essay, every day, day, hobby, keep forgetting, forget, forgetting, opening, quickly, easily, allows,
  allow, lets you, colours, colors, favourite, favorite, about, available, when, what, how, if, up, down, out, then,
  more, colour, color, accent, theme, field, fields, english, demo, example
`)
