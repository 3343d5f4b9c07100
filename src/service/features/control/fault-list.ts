import { Problem } from '../../../lib/http/index.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/index.ts';
import { formatValue } from '../../../lib/printable.ts';
import { Validation } from '../../resource/validation.ts';
import { checkedList } from '../../resource/validator.ts';
import type { Fault } from './fault.ts';
import type { FaultMember, FaultMembers } from './fault-members.ts';
import { checkedMembers, type Report } from './member-rule.ts';

/** The maximum number of faults. Each request is compared with all of them. */
export const MAX_FAULTS = 100;

/** The members that a fault has, with their values, in the order of the table. */
export function partsOf(fault: Fault, members: FaultMembers) {
  const values: JsonObject = { ...fault };
  return Object.entries<FaultMember<unknown>>(members).flatMap(([name, member]) =>
    values[name] === undefined ? [] : [{ name, member, value: values[name] }],
  );
}

/** The names of the effects. A fault needs at least one of them. */
export function effectNames(members: FaultMembers): readonly string[] {
  const all = Object.entries<FaultMember<unknown>>(members);
  return all.flatMap(([name, { effect }]) => (effect === undefined ? [] : name));
}

/** Checks an object with a list of faults. @returns a copy @throws Problem with all violations */
export function checkedFaultList(
  { faults, ...others }: JsonObject,
  members: FaultMembers,
): readonly Fault[] {
  const validation = new Validation();
  const ofList = validation.at('faults');
  const checked = checkedList(faults, MAX_FAULTS, ofList).map((fault, i) =>
    checkedFault(fault, members, ofList.at(i)),
  );
  checkOrder(checked, members, ofList);
  for (const name of Object.keys(others)) {
    validation.violate(name, 'unknown', 'is unknown; use faults');
  }
  const [first] = validation.violations;
  if (first === undefined) return checked;
  const detail = `The faults violate rules: ${first.pointer} ${first.detail}`;
  throw new Problem('validation-failed', detail, { errors: validation.violations });
}

function checkedFault(given: unknown, members: FaultMembers, validation: Validation): Fault {
  if (!isJsonObject(given)) {
    validation.violate([], 'type', `must be an object, not ${formatValue(given)}`);
    return {};
  }
  const report: Report = (name, code, detail) => validation.violate(name, code, detail);
  const entries = Object.entries(given);
  const checked = checkedMembers(entries, members, report, 'a fault may have');
  // Generated clients send empty objects for header fields that are not set.
  const fault: Fault = Object.fromEntries(
    Object.entries(checked).filter(([, value]) => !isEmptyObject(value)),
  );
  const parts = partsOf(fault, members);
  if (!parts.some(({ member }) => member.effect)) {
    const names = effectNames(members).join(', ');
    validation.violate([], 'required', `must have one of ${names}`);
  }
  for (const { name, member } of parts) {
    const rule = member.conflict?.(fault);
    if (rule !== undefined) validation.violate(name, 'value', rule);
  }
  return fault;
}

/** Refuses faults that no request can reach, because one before them hits every request. */
function checkOrder(faults: readonly Fault[], members: FaultMembers, validation: Validation): void {
  const all = faults.findIndex((fault) => {
    const parts = partsOf(fault, members);
    return parts.length > 0 && parts.every(({ member }) => !member.matches && !member.limits);
  });
  for (let index = all + 1; all >= 0 && index < faults.length; index++) {
    validation.violate(
      [index],
      'value',
      `can never hit, because the fault at index ${all} hits every request; put that one last`,
    );
  }
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
