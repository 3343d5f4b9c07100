"""Uses notes through the generated client, unmodified: notes.py URL"""

import sys
from datetime import datetime, timedelta, timezone

from openapi_client import *
from openapi_client.exceptions import ApiException

[url] = sys.argv[1:]
configuration = Configuration(host=url)
# By default, parameters have an offset without a colon, which RFC 3339 does not allow.
configuration.datetime_format = '%Y-%m-%dT%H:%M:%SZ'
notes = NotesApi(ApiClient(configuration))

due = datetime(2026, 12, 1, 9, 0, tzinfo=timezone(timedelta(hours=1)))
sent = CreateNote(subject='Call the plumber', tags=['home'], due_at=due, rating=4.5)
note = notes.create_note(sent)
assert (note.id, note.subject, note.status, note.pinned) == (1, 'Call the plumber', 'draft', False)
assert note.tags == ['home'] and note.rating == 4.5 and note.due_at == due
assert note.created_at.tzinfo is not None and note.body is None and note.place is None

place = {'city': 'Ghent', 'zip': '09000'}
other = notes.create_note(CreateNote.from_dict({'subject': 'Book a table', 'place': place}))
assert other.place.city == 'Ghent'
changed = notes.patch_note(2, PatchNote.from_dict({'status': 'published', 'place': {'zip': '09001'}}))
assert (changed.status, changed.place.city, changed.place.zip) == ('published', 'Ghent', '09001')
assert notes.update_note(1, UpdateNote(rating=2)).rating == 2

tomorrow = (due + timedelta(days=1)).astimezone(timezone.utc)
assert [each.id for each in notes.list_notes(search='PLUMBER')] == [1]
assert [each.id for each in notes.list_notes(rating_is_null=True, status='published')] == [2]
assert [each.id for each in notes.list_notes(due_at_lt=tomorrow, sort='-id')] == [1]
assert len(notes.create_notes([CreateNote(subject='a'), CreateNote(subject='b')])) == 2
try:
    notes.create_note(CreateNote.from_dict({'subject': 'x', 'place': {'city': 'x', 'zip': '1'}}))
    raise AssertionError('the call succeeded')
except (ApiException, ValueError):
    pass
assert notes.patch_notes(PatchNote(pinned=True), id_gte=3).updated == 2
assert notes.delete_notes(id_gte=2).deleted == 3
notes.delete_note(1)
assert notes.list_notes() == []
