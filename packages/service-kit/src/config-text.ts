import type { SettingForm } from './config-settings.ts';

export type ReadText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Turns the text of an environment variable or flag into what the setting takes; the value is never repeated, it may be a secret. */
export function readText(text: string, form: SettingForm, memberForm: SettingForm = 'text'): ReadText {
  switch (form) {
    case 'text':
      return { ok: true, value: text };
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text))
        ? { ok: true, value: Number(text) }
        : { ok: false, problem: 'must be a number' };
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { ok: true, value: text === 'true' }
        : { ok: false, problem: 'must be true or false' };
    case 'list':
      return text.trimStart().startsWith('[') ? readJson(text) : readList(text, memberForm);
    case 'json':
      return readJson(text);
    case 'any': {
      const json = readJson(text);
      return json.ok ? json : { ok: true, value: text };
    }
  }
}

function readJson(text: string): ReadText {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, problem: 'must be JSON' };
  }
}

function readList(text: string, memberForm: SettingForm): ReadText {
  const members = text.split(',').map((member) => readText(member.trim(), memberForm));
  const bad = members.find((member) => !member.ok);
  return bad ?? { ok: true, value: members.map((member) => member.ok && member.value) };
}
