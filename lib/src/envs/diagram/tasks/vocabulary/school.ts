import { list, type Domain } from './types.js';

export const school: Domain = {
  name: 'school',
  en: {
    nouns:
      list(`Pupil, Class teacher, Head teacher, Parent, Classroom, Class, Class list, Timetable, Lesson, Homework, Exam, Exam paper, Grade book,
      Report card, School office, Canteen, Gym, Science lab, Music room, Playground, School bus, Bus driver, Caretaker, Tutor,
      Study group, Textbook, Workbook, Whiteboard, Locker, Field trip, Permission slip, Sports day, Choir, School nurse, Art club,
      Chess club, Year 9, Room 12, Substitute, Detention, Scholarship, Enrolment form, f(x), mark[3]`),
    steps:
      list(`Enrol pupil, Plan lesson, Take attendance, Teach topic, Set homework, Collect homework, Mark exam, Enter grades,
      Call parents, Print report, Hold meeting, Book room, Read chapter 4, Hand out books`),
    states: list(`Enrolled, Present, Absent, Late, Excused, On trip, Graduated, Suspended, Waiting list`),
    verbs:
      list(`teaches, attends, grades, reports to, helps, supervises, enrols in, assigns, submits to, meets, invites, prepares,
      advises, borrows from, substitutes for`),
    questions:
      list(`Homework done?, Exam passed?, Pupil present?, Is a room free?, Form signed?, Enough seats?, Late again?,
      Grade above 60?, Parent informed?, Trip paid?`),
    alias: ['Principal', 'Head teacher'],
  },
  zh: {
    nouns:
      list(`学生、班主任、校长、家长、教室、班级、班级名单、课程表、课时、作业、考试、试卷、成绩册、成绩单、教务处、食堂、体育馆、实验室、
      音乐室、操场、校车、校车司机、校工、辅导老师、学习小组、课本、练习册、白板、储物柜、郊游、同意书、运动会、合唱团、校医、美术社、
      象棋社、九年级、教室 12、代课老师、留堂、奖学金、报名表、f(x)、mark[3]`),
    steps:
      list(`学生报名、备课、点名、讲授新课、布置作业、收作业、批改试卷、录入成绩、联系家长、打印成绩单、召开会议、预订教室、
      阅读第 4 章、分发课本`),
    states: list(`已注册、出勤、缺勤、迟到、请假、外出、已毕业、停课、候补`),
    verbs: list(
      `教授、参加、批改、汇报给、帮助、监督、报名、布置、上交给、会见、邀请、准备、指导、借自、代替`,
    ),
    questions:
      list(`作业完成？、考试及格？、学生到齐？、教室空闲？、表格已签？、座位足够？、再次迟到？、成绩高于 60？、家长知情？、
      郊游已缴费？`),
    alias: ['校领导', '校长'],
  },
};
