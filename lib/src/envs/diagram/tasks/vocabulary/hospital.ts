import { list, type Domain } from './types.js';

export const hospital: Domain = {
  name: 'hospital',
  en: {
    nouns:
      list(`Patient, Patient file, Reception, Triage nurse, Triage, Waiting area, Emergency room, Ambulance, Paramedic, Surgeon, Anaesthetist,
      Operating theatre, Recovery ward, Ward, Ward round, X-ray, MRI scan, Blood test, Pathology, Pharmacy, Prescription, Consultant,
      Family doctor, Referral, Insurance card, Consent form, Bed manager, Discharge letter, Physiotherapy, Intensive care, Maternity,
      Dialysis, Vaccine, Wristband, Medication chart, Night nurse, Midwife, Wheelchair, Bed 14, Oxygen supply, Sterile store,
      Outpatient clinic, dose(mg), BP 120/80`),
    steps:
      list(`Register patient, Measure pulse, Take blood sample, Order X-ray, Examine patient, Prescribe medicine, Prepare surgery,
      Dress wound, Admit to ward, Write discharge letter, Inform relatives, Clean theatre, Check 3 vitals, Plan aftercare`),
    states: list(
      `Registered, Under triage, In treatment, In surgery, Recovering, Discharged, Transferred, Critical, Stable`,
    ),
    verbs:
      list(`treats, refers to, examines, admits, diagnoses, prescribes, operates on, transfers to, nurses, discharges, vaccinates,
      consults, dispenses, assists, accompanies`),
    questions:
      list(`Fever above 39?, Allergic?, Insured?, Urgent case?, Is surgery needed?, Bed free on ward?, Consent given?,
      Bone broken?, Pulse normal?, Fasting since midnight?`),
    alias: ['ER', 'Emergency room'],
  },
  zh: {
    nouns:
      list(`病人、病人档案、挂号处、分诊护士、分诊台、候诊区、急诊室、救护车、急救员、外科医生、麻醉师、手术室、恢复病房、病房、查房、
      X 光、核磁共振、血液检查、病理科、药房、处方、主任医师、家庭医生、转诊单、医保卡、知情同意书、床位管理员、出院小结、理疗科、
      重症监护、产科、透析室、疫苗、腕带、用药单、夜班护士、助产士、轮椅、14 号床、供氧、无菌库房、门诊部、dose(mg)、BP 120/80`),
    steps:
      list(`登记病人、测量脉搏、抽取血样、开 X 光单、检查病人、开具药方、准备手术、包扎伤口、收治住院、写出院小结、通知家属、
      消毒手术室、检查 3 项体征、安排随访`),
    states: list(`已挂号、分诊中、治疗中、手术中、康复中、已出院、已转院、危重、平稳`),
    verbs: list(
      `治疗、转诊到、检诊、收治、诊断、开药给、手术、转运到、护理、送走、接种、会诊、配药给、协助、陪同`,
    ),
    questions:
      list(`体温高于 39？、过敏？、有医保？、是急症吗？、需要手术？、有空床位？、已签同意书？、骨折？、脉搏正常？、
      空腹了吗？`),
    alias: ['ER', '急诊室'],
  },
};
