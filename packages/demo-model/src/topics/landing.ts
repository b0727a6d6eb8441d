import { landingTexts } from "../landing-texts.ts"
import type { Recipe } from "../project.ts"
import { phrases } from "../prompt-words.ts"
import { capitalised } from "../substitute.ts"

/** A page that presents something. */
export const landing: Recipe = {
  title: "Landing Page",
  phrases: phrases(`
    landing page, landingpage, landing site, home page, homepage, portfolio, portfolio page, portfolio website,
    portfolio site, personal website, personal site, one pager, about page, product page, splash page, launch page,
    promo page, event page, marketing page, coming soon page, website with contact form, website with sign up form,
    startseite, webseite für, page d'accueil, página web, página de inicio
  `),
  does: phrases(
    "sign up, sign up form, shop, business, company, contact form, name, names, shop page, heading, three reasons",
  ),
  kinds: ["page"],
  summary: "A page that says what something is, why it is good, and takes a name and an address.",
  features: () => [
    "A heading, three reasons and a form that checks what is typed",
    "Readable in light and dark, on a phone and on a desk",
    "Its texts are a start, in index.html, to be made your own",
  ],
  folders: ["landing"],
  module: "sign-up",
  purpose: "Checks a sign-up.",
  choices: { locale: true },
  fields: [],
  substitutions: ({ name, subject, locale }) => ({
    "A project that is an example.": "A new place on the web.",
    ...landingTexts(locale, name),
    ...(subject && { "A project that is an example.": `${capitalised(subject)}.` }),
  }),
}
