import { phrases } from "./prompt-words.ts"
import type { Substitutions } from "./substitute.ts"

export const locales = ["en", "de", "fr", "es"] as const
export type Locale = (typeof locales)[number]

export const localePhrases = {
  en: ["in english", "english"],
  de: ["in german", "german texts", "german", "auf deutsch", "deutsch"],
  fr: ["in french", "french texts", "french", "en français", "français"],
  es: ["in spanish", "spanish texts", "spanish", "en español", "español"],
} satisfies Record<Locale, string[]>

/** Filler words in other languages, which carry no request. */
export const fillerIn = {
  de: phrases(`
    ein, eine, einen, einem, mir, mich, ich, brauche, möchte, will, hätte, gern, gerne, erstelle, erstell, baue, bau,
    mach, mache, schreib, schreibe, programmiere, für, meine, meinen, mein, unsere, mit, und, einfach, einfache,
    einfachen, einfacher, einfaches, kleine, kleinen, kleines, schöne, schönen, kannst, könntest, du, bauen,
    erstellen, machen, app, seite, webseite, der, die, das, den, zum, zur, es, bitte, danke
  `),
  fr: phrases(`
    une, un, de, du, des, la, le, les, je, voudrais, veux, j'aimerais, aimerais, s'il vous plaît, s'il te plaît, fais,
    faites, crée, créer, créez, moi, pour, mon, ma, mes, notre, avec, et, simple, petite, petit, application, appli,
    page, web, peux tu, pouvez vous, besoin, j'ai, merci
  `),
  es: phrases(`
    una, un, de, la, el, los, las, quiero, quisiera, necesito, hazme, haz, crea, crear, construye, para, mi, mis,
    nuestra, nuestro, con, y, sencilla, sencillo, simple, pequeña, pequeño, aplicación, página, web, me, gustaría,
    puedes, hacer, por, favor, gracias
  `),
} satisfies Record<Exclude<Locale, "en">, string[]>

/** Filler words that also exist in English. */
const alsoEnglish = new Set(phrases("app, will, die, simple, page, web, application, me, la"))

export function localeOf(prompt: string): Locale {
  const words = prompt.toLowerCase().match(/[\p{L}']+/gu) ?? []
  const scores = (Object.keys(fillerIn) as (keyof typeof fillerIn)[]).map((locale) => ({
    locale,
    score: words.filter((word) => fillerIn[locale].includes(word) && !alsoEnglish.has(word)).length,
  }))
  const [best] = scores.sort((a, b) => b.score - a.score)
  // A few words aren't enough: an English prompt may end with "danke".
  return best && best.score > 0 && best.score * 4 >= words.length ? best.locale : "en"
}

type Translated = Exclude<Locale, "en">

/** Texts for a list's page and module. They avoid nouns, because those have genders. */
const lists = {
  de: {
    add: "Hinzufügen",
    remove: "Entfernen",
    added: "Neuer Eintrag",
    none: "Noch keine Einträge.",
    one: "1 Eintrag",
    many: "Einträge",
    total: "Summe",
    missing: "fehlt",
    number: "muss eine Zahl sein",
    date: "muss ein Datum wie 2026-12-31 sein",
    wrong: "Etwas ist schiefgegangen.",
    lead: "Eintragen, markieren und entfernen.",
    list: "Liste",
  },
  fr: {
    add: "Ajouter",
    remove: "Supprimer",
    added: "Nouvelle entrée",
    none: "Aucune entrée pour l’instant.",
    one: "1 entrée",
    many: "entrées",
    total: "Total",
    missing: "est à remplir",
    number: "doit être un nombre",
    date: "doit être une date comme 2026-12-31",
    wrong: "Une erreur s’est produite.",
    lead: "Ajouter, marquer et supprimer.",
    list: "Liste",
  },
  es: {
    add: "Añadir",
    remove: "Eliminar",
    added: "Nueva entrada",
    none: "Todavía no hay entradas.",
    one: "1 entrada",
    many: "entradas",
    total: "Total",
    missing: "es obligatorio",
    number: "debe ser un número",
    date: "debe ser una fecha como 2026-12-31",
    wrong: "Algo salió mal.",
    lead: "Añadir, marcar y eliminar.",
    list: "Lista",
  },
} satisfies Record<Translated, Record<string, string>>

const marks: Record<Translated, Record<string, string>> = {
  de: { complete: "Erledigt", pin: "Anheften", star: "Merken", increment: "Zählen" },
  fr: { complete: "Terminer", pin: "Épingler", star: "Favori", increment: "Compter" },
  es: { complete: "Completar", pin: "Fijar", star: "Destacar", increment: "Contar" },
}

/** Returns the texts of `recipes/collection` in another language. */
export function listTexts(locale: Locale, verb: string): Substitutions {
  if (locale === "en") return {}
  const texts = lists[locale]
  return {
    'lang="en"': `lang="${locale}"`,
    ">Add</button>": `>${texts.add}</button>`,
    '"Remove"': `"${texts.remove}"`,
    '"Flag"': `"${marks[locale][verb] ?? verb}"`,
    "`Flag · ": `\`${marks[locale][verb] ?? verb} · `,
    "<h2>New sample</h2>": `<h2>${texts.added}</h2>`,
    "No samples yet.": texts.none,
    "list.length} samples`": `list.length} ${texts.many}\``,
    '"1 sample"': `"${texts.one}"`,
    "Total: ": `${texts.total}: `,
    " is missing.": ` ${texts.missing}.`,
    " must be a number.": ` ${texts.number}.`,
    " must be a date such as 2026-12-31.": ` ${texts.date}.`,
    "Something went wrong.": texts.wrong,
    'aria-label="Samples"': `aria-label="${texts.list}"`,
    "A project that is an example.": texts.lead,
  }
}

const labels: Record<Translated, Record<string, string>> = {
  de: {
    ...{ title: "Titel", name: "Name", text: "Text", "due date": "Fällig am", priority: "Priorität", date: "Datum" },
    ...{ amount: "Betrag", price: "Preis", category: "Kategorie", phone: "Telefon", email: "E-Mail", note: "Notiz" },
    ...{ author: "Autor", year: "Jahr", tags: "Schlagwörter", url: "Adresse", notes: "Notizen", rating: "Bewertung" },
  },
  fr: {
    ...{ title: "Titre", name: "Nom", text: "Texte", "due date": "Échéance", priority: "Priorité", date: "Date" },
    ...{ amount: "Montant", price: "Prix", category: "Catégorie", phone: "Téléphone", email: "E-mail", note: "Note" },
    ...{ author: "Auteur", year: "Année", tags: "Mots-clés", url: "Adresse", notes: "Notes", rating: "Note" },
  },
  es: {
    ...{ title: "Título", name: "Nombre", text: "Texto", "due date": "Vence", priority: "Prioridad", date: "Fecha" },
    ...{ amount: "Importe", price: "Precio", category: "Categoría", phone: "Teléfono", email: "Correo", note: "Nota" },
    ...{ author: "Autor", year: "Año", tags: "Etiquetas", url: "Dirección", notes: "Notas", rating: "Valoración" },
  },
}

/** Returns a field's label, in English if there is no translation. */
export function labelOf(words: string, locale: Locale): string {
  const label = (locale === "en" ? undefined : labels[locale][words]) ?? words
  return label === "url" ? "URL" : label.charAt(0).toUpperCase() + label.slice(1)
}

const titles: Record<Translated, Record<string, string>> = {
  de: {
    ...{ "To-do List": "Aufgaben", Notes: "Notizen", Counters: "Zähler", "Expense Tracker": "Ausgaben" },
    ...{ Books: "Bücher", Recipes: "Rezepte", Contacts: "Kontakte", Movies: "Filme", Products: "Produkte" },
    ...{ Habits: "Gewohnheiten", Bookmarks: "Lesezeichen", Plants: "Pflanzen", Songs: "Lieder", Items: "Liste" },
  },
  fr: {
    ...{ "To-do List": "Tâches", Notes: "Notes", Counters: "Compteurs", "Expense Tracker": "Dépenses" },
    ...{ Books: "Livres", Recipes: "Recettes", Contacts: "Contacts", Movies: "Films", Products: "Produits" },
    ...{ Habits: "Habitudes", Bookmarks: "Favoris", Plants: "Plantes", Songs: "Chansons", Items: "Liste" },
  },
  es: {
    ...{ "To-do List": "Tareas", Notes: "Notas", Counters: "Contadores", "Expense Tracker": "Gastos" },
    ...{ Books: "Libros", Recipes: "Recetas", Contacts: "Contactos", Movies: "Películas", Products: "Productos" },
    ...{ Habits: "Hábitos", Bookmarks: "Marcadores", Plants: "Plantas", Songs: "Canciones", Items: "Lista" },
  },
}

/** Returns the title of a project without a name. */
export function translatedTitle(title: string, locale: Locale): string {
  return (locale === "en" ? undefined : titles[locale][title]) ?? title
}
